// Small things that several parts of the page are made of.
import {useState} from 'preact/hooks';

export function Command({text}: {text: string}) {
  const [said, say] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say('copied');
    } catch {
      say('select it to copy');
    }
    setTimeout(() => say(''), 2000);
  };
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" onClick={copy} aria-label={`Copy: ${text}`}>copy</button>
      <span class="said" role="status">{said}</span>
    </span>
  );
}

export function Hidden({text}: {text: string}) {
  return <span class="hidden">{text}</span>;
}

export function BrokenMark() {
  return <span class="bug" title="a promised property was violated">!<Hidden text=" a promised property was violated" /></span>;
}

interface ChoiceProps {
  label: string;
  value: string;
  options: {value: string; label: string}[];
  onChange: (value: string) => void;
}

export function Choice({label, value, options, onChange}: ChoiceProps) {
  const id = `choose-${label.replaceAll(' ', '-')}`;
  return (
    <div class="choice">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((one) => <option key={one.value} value={one.value}>{one.label}</option>)}
      </select>
    </div>
  );
}

export function Switch({label, value, options, onChange}: ChoiceProps) {
  return (
    <fieldset class="switch">
      <legend>{label}</legend>
      <div>
        {options.map((one) => (
          <label key={one.value}>
            <input
              type="radio"
              name={label}
              value={one.value}
              checked={one.value === value}
              onChange={() => onChange(one.value)}
            />
            <span>{one.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
