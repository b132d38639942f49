import { type ComponentProps, useRef } from 'react';
import { Button } from './button.tsx';
import styles from './file-button.module.css';

type FileButtonProps = Omit<ComponentProps<typeof Button>, 'onClick' | 'children'> & {
  label: string;
  /** The types of files that the browser offers. */
  accept: string;
  /** The name of the file that was chosen or dropped last, which is shown beside the button. */
  fileName?: string | null;
  onFile: (file: File) => void;
};

/**
 * A button to choose a file. It takes the place of the browser's own, which has the texts of the browser and
 * not those of the page. Where files can be dropped too, add `useFileDrop`.
 */
export function FileButton({ label, accept, fileName = null, onFile, ...rest }: FileButtonProps) {
  const inputRef = useRef<HTMLInputElement>(null);
  return (
    <div className={styles.group}>
      <input
        ref={inputRef}
        hidden
        type="file"
        accept={accept}
        aria-label={label}
        tabIndex={-1}
        onChange={(event) => {
          const file = event.target.files?.[0];
          // Otherwise a file that was changed could not be chosen again.
          event.target.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
      <Button {...rest} onClick={() => inputRef.current?.click()}>
        {label}
      </Button>
      {/* Always there, so that screen readers say the name. */}
      <span className={styles.name} role="status" hidden={fileName === null}>
        <bdi>{fileName}</bdi>
      </span>
    </div>
  );
}
