// Parts of a story beside its diagram, as a comparison and a single run both show them.
import type {Story} from './story';
import {count} from './format';

type Broken = Story['broken'][number];

// At most `most` witnesses of a violated property, and how many there are.
export function Explained({broken, most}: {broken: Broken; most: number}) {
  const shown = broken.sentences.slice(0, most);
  return (
    <>
      {shown.map((sentence, i) => (
        <p class="explained">
          <strong>{broken.property}:</strong> {sentence}
          {i + 1 === shown.length && broken.count > shown.length &&
            <span class="quiet-text"> ({count(broken.count)} times in this run)</span>}
        </p>
      ))}
    </>
  );
}

export function Faults({story}: {story: Story}) {
  if (story.faults.length === 0) return null;
  return (
    <ul class="faults" aria-label="Faults of this run">
      {story.faults.map((fault) => (
        <li><strong class="tag struck">fault</strong> {fault.text}{fault.at === undefined ? ' (did not fire)' : ''}</li>
      ))}
    </ul>
  );
}
