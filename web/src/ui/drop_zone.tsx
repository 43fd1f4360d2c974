// A place where files can be dropped. What it holds chooses files in another way, for those who do not drag.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

export function DropZone(props: {
  class?: string;
  onDropped: (data: DataTransfer) => void;
  children: ComponentChildren;
}): JSX.Element {
  const [isOver, setOver] = useState(false);
  return (
    <div
      class={['drop', props.class, isOver ? 'over' : ''].filter(Boolean).join(' ')}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer) props.onDropped(event.dataTransfer);
      }}
    >
      {props.children}
    </div>
  );
}
