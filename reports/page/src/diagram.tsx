// A story as a sequence diagram: a column for every process, time downwards, and beside each row
// its text. The text alone says everything; screen readers skip the drawing.
import {instant} from './format';
import type {Change, Row, Story} from './story';

interface Line {
  beliefs: number;
  paused: boolean;
  down: boolean;
  owner: string | null;
}

const QUIET_SECONDS = 1;
const HUES = 6;

function changed(lines: Line[], changes: Change[] | undefined): Line[] {
  if (!changes) return lines;
  const after = lines.map((line) => ({...line}));
  for (const [process, shift, owner] of changes) {
    const line = after[process];
    if (!line) continue;
    if (shift === 'believes') line.beliefs++;
    if (shift === 'disbelieves') line.beliefs = Math.max(0, line.beliefs - 1);
    if (shift === 'pauses') line.paused = true;
    if (shift === 'resumes') line.paused = false;
    if (shift === 'down') Object.assign(line, {down: true, paused: false});
    if (shift === 'up') line.down = false;
    if (shift === 'entry') line.owner = owner ?? null;
    if (shift === 'no entry') line.owner = null;
  }
  return after;
}

function Lifelines({story, top, bottom}: {story: Story; top: Line[]; bottom: Line[]}) {
  const look = (line: Line, process: number) => {
    const owner = story.processes.findIndex((one) => one.name === line.owner);
    const hue = line.owner !== null ? owner : process;
    const states = [
      line.down ? 'down' : line.beliefs > 0 || line.owner !== null ? 'holds' : 'idle',
      line.paused ? 'paused' : '',
    ];
    return {class: `${states.join(' ')} hue-${hue % HUES}`, owner: line.owner};
  };
  return (
    <>
      {story.processes.map((_, process) => {
        const above = look(top[process]!, process);
        const below = look(bottom[process]!, process);
        const at = {'--at': process};
        const appears = below.owner !== null && below.owner !== above.owner;
        const number = appears ? /-(\w+)$/.exec(below.owner!)?.[1] : undefined;
        return (
          <>
            {above.class === below.class ? (
              <i class={`line ${above.class}`} style={at} />
            ) : (
              <>
                <i class={`line upper ${above.class}`} style={at} />
                <i class={`line lower ${below.class}`} style={at} />
              </>
            )}
            {number && <b class={`owner ${below.class}`} style={at}>{number}</b>}
          </>
        );
      })}
    </>
  );
}

function Arrow({from, to, look, second}: {from: number; to: number; look: string; second?: boolean}) {
  if (from === to) return <i class="dot" style={{'--at': from}} />;
  const way = from < to ? 'right' : 'left';
  const style = {'--left': Math.min(from, to), '--span': Math.abs(to - from)};
  return <i class={`arrow ${way} ${look} ${second ? 'second' : ''}`} style={style} />;
}

function Marks({row}: {row: Row}) {
  const {from, to} = row;
  if (row.kind === 'violation') {
    return <>{(row.concerned ?? []).map((process) => (
      <b class="cross" style={{'--at': process}}>{'\u2715'}</b>
    ))}</>;
  }
  if (from === undefined) return null;
  if (row.kind === 'fault') return <b class="strike" style={{'--at': from}}>{'\u25c6'}</b>;
  const more = row.more ?? [];
  if (to === undefined) {
    return <>{[from, ...more].map((process) => <i class="dot" style={{'--at': process}} />)}</>;
  }
  switch (row.kind) {
    case 'exchange':
      return <>{[to, ...more].map((server) => (
        <>
          <Arrow from={from} to={server} look={row.complete === false ? 'late' : 'sent'} />
          {row.answer !== undefined && <Arrow from={server} to={from} look="answer" second />}
        </>
      ))}</>;
    case 'departure':
      return <>{[to, ...more].map((server) => <Arrow from={from} to={server} look="half" />)}</>;
    case 'lost':
      return <>{[to, ...more].map((server) => <Arrow from={from} to={server} look="half lost" />)}</>;
    case 'reply':
      return <>{[from, ...more].map((server) => <Arrow from={server} to={to} look="answer" />)}</>;
    case 'fold':
      return <Arrow from={from} to={to} look="many" />;
    default:
      return <i class="dot" style={{'--at': from}} />;
  }
}

function Words({row, story}: {row: Row; story: Story}) {
  const name = (process: number | undefined) =>
      process === undefined ? '' : story.processes[process]?.name ?? '';
  const several = (process: number | undefined) => [process, ...(row.more ?? [])].map(name).join(', ');
  const [sender, receiver] = row.kind === 'reply'
    ? [several(row.from), name(row.to)] : [name(row.from), several(row.to)];
  const ends = row.to === undefined ? '' : `${sender} \u2192 ${receiver}`;
  const meaning = row.outcome ? <span class="meaning">{row.outcome}</span> : null;
  if (row.kind === 'violation') {
    const colon = row.text.indexOf(': ');
    return (
      <p>
        <strong class="tag violated">{colon < 0 ? 'violated' : `${row.text.slice(0, colon)} violated`}</strong>{' '}
        {colon < 0 ? row.text : row.text.slice(colon + 2)}
      </p>
    );
  }
  if (row.kind === 'fault') {
    const numbered = /^(fault \d+)[:,]? (.*)$/.exec(row.text);
    return <p><strong class="tag struck">{numbered?.[1] ?? 'fault'}</strong> {numbered?.[2] ?? row.text}</p>;
  }
  if (ends === '' || row.kind === 'fold') return <p>{row.text}{meaning}</p>;
  const how = {departure: ' leaves', lost: '', reply: ''}[row.kind as string] ??
      (row.kind === 'exchange' && row.complete === false ? ' arrives' : '');
  return (
    <>
      <p>
        <span class="ends">{ends}</span>{' '}
        <code>{row.text}</code>{how}
        {row.answer === undefined && meaning}
      </p>
      {row.answer !== undefined && (
        <p class="answered">{'\u21a9'} <code>{row.answer}</code>{meaning}</p>
      )}
    </>
  );
}

export function Diagram({story}: {story: Story}) {
  let lines: Line[] =
      story.processes.map(() => ({beliefs: 0, paused: false, down: false, owner: null}));
  let shown = '';
  let previous = 0;
  const rows = story.rows.map((row) => {
    const top = changed(lines, row.before);
    lines = changed(top, row.within);
    const time = instant(row.at);
    const again = time === shown;
    const quiet = row.at - previous >= QUIET_SECONDS;
    shown = time;
    previous = row.at;
    return (
      <li class={`row ${row.kind} ${quiet ? 'quiet' : ''}`}>
        <time class={again ? 'again' : ''}>{time}</time>
        <div class="track" aria-hidden="true">
          <Lifelines story={story} top={top} bottom={lines} />
          <Marks row={row} />
        </div>
        <div class="words"><Words row={row} story={story} /></div>
      </li>
    );
  });
  const many = story.processes.length > 6;
  return (
    <div class={`diagram ${many ? 'many' : ''}`} style={{'--n': story.processes.length}}>
      <div class="processes" aria-hidden="true">
        <span class="unit">seconds</span>
        <div class="track">
          {story.processes.map((process, i) => (
            <span class={`name ${process.kind} hue-${i % HUES}`} style={{'--at': i}}>{process.name}</span>
          ))}
        </div>
      </div>
      <ol>{rows}</ol>
    </div>
  );
}
