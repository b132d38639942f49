import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import { CheckIcon, ShareIcon } from './icons.tsx';
import { useCopied } from './use-copied.ts';
import { VisuallyHidden } from './visually-hidden.tsx';

const SHOW_COPIED_MS = 2_500;

interface ShareButtonProps {
  /** The path of the page to share, such as `/token/7`. It never contains a code. */
  path: string;
  title: string;
  isWide?: boolean;
}

/** Opens the share sheet of the device. A browser without one copies the link. */
export function ShareButton({ path, title, isWide = false }: ShareButtonProps) {
  const { t } = useTranslation();
  const { isCopied, copy } = useCopied(SHOW_COPIED_MS);

  async function share(): Promise<void> {
    const url = `${location.origin}${path}`;
    // The visitor may close the share sheet, which is no error.
    if (navigator.share !== undefined) await navigator.share({ title, url }).catch(() => {});
    else await copy(url);
  }

  return (
    <>
      <Button onClick={share} isWide={isWide}>
        {isCopied ? <CheckIcon /> : <ShareIcon />}
        {isCopied ? t('shell.linkCopied') : t('shell.share')}
      </Button>
      <VisuallyHidden role="status">{isCopied ? t('shell.linkCopied') : ''}</VisuallyHidden>
    </>
  );
}
