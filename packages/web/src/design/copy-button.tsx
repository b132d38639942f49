import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { VisuallyHidden } from './visually-hidden.tsx';

const SHOW_COPIED_MS = 2_000;

/** Copies a text. With a label it is a button with text, otherwise an icon. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const [isCopied, setIsCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOW_COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy(): Promise<void> {
    // Browsers allow it only on https and localhost.
    if (navigator.clipboard === undefined) return;
    await navigator.clipboard.writeText(text).then(
      () => setIsCopied(true),
      () => {},
    );
  }

  return (
    <>
      <Button
        variant={label === undefined ? 'quiet' : 'secondary'}
        size="small"
        isIcon={label === undefined}
        aria-label={label === undefined ? t('shell.copy') : undefined}
        onClick={copy}
      >
        {isCopied ? <CheckIcon /> : <CopyIcon />}
        {label !== undefined && (isCopied ? t('shell.copied') : label)}
      </Button>
      <VisuallyHidden role="status">{isCopied ? t('shell.copied') : ''}</VisuallyHidden>
    </>
  );
}
