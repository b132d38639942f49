import { useTranslation } from 'react-i18next';
import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

/** Code or commands to copy, always written from left to right. */
export function CodeBlock({ title, code }: { title: string; code: string }) {
  const { t } = useTranslation();
  return (
    <figure className={styles.block} dir="ltr">
      <figcaption className={styles.header}>
        <bdi>{title}</bdi>
        <CopyButton text={code} label={t('shell.copy')} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll long lines. */}
      <pre className={styles.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
