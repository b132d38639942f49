import { type DragEvent, useState } from 'react';

interface FileDrop {
  /** Whether something is dragged over the place. */
  isDragging: boolean;
  /** The properties of the element on which a file can be dropped. */
  place: Record<'onDragOver' | 'onDragLeave' | 'onDrop', (event: DragEvent) => void>;
}

/** Makes an element a place to drop a file. It is a shortcut: a `FileButton` does the same. */
export function useFileDrop(onFile: (file: File) => void): FileDrop {
  const [isDragging, setIsDragging] = useState(false);
  return {
    isDragging,
    place: {
      onDragOver(event) {
        event.preventDefault();
        setIsDragging(true);
      },
      onDragLeave: () => setIsDragging(false),
      onDrop(event) {
        event.preventDefault();
        setIsDragging(false);
        const [file] = event.dataTransfer.files;
        if (file !== undefined) onFile(file);
      },
    },
  };
}
