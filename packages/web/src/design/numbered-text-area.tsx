import { type ComponentProps, useMemo } from 'react';
import { splitLines } from '../lists/split-lines.ts';
import { joinClasses } from './join-classes.ts';
import styles from './numbered-text-area.module.css';

/** A longer text gets no line numbers, which would make the browser slow. */
const MAX_NUMBERED_LINES = 3_000;

type NumberedTextAreaProps = ComponentProps<'textarea'> & {
  value: string;
  /** Whether something is wrong with a line, from 1, with this text. Its number is coloured. */
  isWrong: (line: number, text: string) => boolean;
  /** Whether a file is held over the field. */
  isDragging: boolean;
};

/** A field of many lines with their numbers. */
export function NumberedTextArea({ value, isWrong, isDragging, ...rest }: NumberedTextAreaProps) {
  return (
    <div className={joinClasses(styles.field, isDragging && styles.dragging)} dir="ltr">
      <LineNumbers text={value} isWrong={isWrong} />
      <textarea
        rows={7}
        // Some browsers send what they check for spelling to a server.
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        {...rest}
        className={styles.text}
        value={value}
      />
    </div>
  );
}

/**
 * The numbers of the lines of the field, with the wrong lines coloured. The field wraps long lines. So this
 * element contains the same lines, invisible: they wrap at the same places, and make the field as high as its
 * text.
 */
function LineNumbers({ text, isWrong }: { text: string; isWrong: (line: number, text: string) => boolean }) {
  const lines = useMemo(() => splitLines(text), [text]);
  if (lines.length > MAX_NUMBERED_LINES) return null;
  return (
    <div className={styles.lines} aria-hidden="true">
      {lines.map((line, index) => {
        const className = joinClasses(styles.line, isWrong(index + 1, line) && styles.wrong);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines can be equal, and have no other name.
          <div key={index} className={className}>
            {/* An empty line is as high as the others. */}
            <span>{line === '' ? '\u200b' : line}</span>
          </div>
        );
      })}
    </div>
  );
}
