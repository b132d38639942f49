import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { CheckIcon, LinkIcon } from '../../design/icons.tsx';
import { useCopied } from '../../design/use-copied.ts';
import { VisuallyHidden } from '../../design/visually-hidden.tsx';

const SHOW_COPIED_MS = 2_500;

/**
 * Keeps the link of this page, with its code, for later. A phone opens its share sheet, so that the person
 * can send the link to themselves. A browser without one copies the link.
 */
export function KeepLinkButton({ title }: { title: string }) {
  const { t } = useTranslation();
  const { isCopied, copy } = useCopied(SHOW_COPIED_MS);

  async function keep(): Promise<void> {
    const url = location.href;
    // The person may close the share sheet, which is no error.
    if (navigator.share !== undefined) await navigator.share({ title, url }).catch(() => {});
    else await copy(url);
  }

  return (
    <>
      <Button isWide onClick={keep}>
        {isCopied ? <CheckIcon /> : <LinkIcon />}
        {isCopied ? t('shell.linkCopied') : t('claim.noWallet.keep')}
      </Button>
      <VisuallyHidden role="status">{isCopied ? t('shell.linkCopied') : ''}</VisuallyHidden>
    </>
  );
}
