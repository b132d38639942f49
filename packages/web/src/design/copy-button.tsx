import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import { CheckIcon, CopyIcon } from './icons.tsx';
import { useCopied } from './use-copied.ts';
import { VisuallyHidden } from './visually-hidden.tsx';

const SHOW_COPIED_MS = 2_000;

/** Copies a text. With a label it is a button with text, otherwise an icon. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation();
  const { isCopied, copy } = useCopied(SHOW_COPIED_MS);

  return (
    <>
      <Button
        variant={label === undefined ? 'quiet' : 'secondary'}
        size="small"
        isIcon={label === undefined}
        aria-label={label === undefined ? t('shell.copy') : undefined}
        onClick={() => copy(text)}
      >
        {isCopied ? <CheckIcon /> : <CopyIcon />}
        {label !== undefined && (isCopied ? t('shell.copied') : label)}
      </Button>
      <VisuallyHidden role="status">{isCopied ? t('shell.copied') : ''}</VisuallyHidden>
    </>
  );
}
