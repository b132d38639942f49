import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { WalletError } from '../../wallet/wallet-error.ts';
import { describeError } from '../describe-error.ts';
import { OtherCreatorError } from './correct-token.ts';
import type { Submission } from './draft.ts';
import type { Creation, Stage } from './use-creation.ts';

/** Whether something runs, so that nothing may be changed. */
export function isBusy(stage: Stage): stage is 'signing' | 'sending' | 'waiting' | 'finishing' {
  return ['signing', 'sending', 'waiting', 'finishing'].includes(stage);
}

interface CreationNoticeProps {
  creation: Creation;
  submission: Submission | null;
  /** Whether the error is shown at a field. */
  hasFieldProblem: boolean;
  /** Leaves a corrected badge that is made, although nobody has moved to it. */
  onLeave: (tokenId: number) => void;
}

/** What happens to the badge, and what to do if it does not go on. */
export function CreationNotice({ creation, submission, hasFieldProblem, onLeave }: CreationNoticeProps) {
  const { t } = useTranslation('console');
  const { stage, error, isUnstored, goOn, edit } = creation;
  const madeTokenId = submission?.tokenId ?? null;
  if (isBusy(stage)) {
    return (
      <>
        <p role="status">{t(`make.stages.${stage}`)}</p>
        {isUnstored && <Notice tone="warning">{t('make.unstored')}</Notice>}
      </>
    );
  }
  if (stage === 'failed') {
    if (hasFieldProblem) return null;
    return (
      <Notice tone="error" isLive>
        {describe()}
      </Notice>
    );
  }
  if (stage === 'unknown') {
    return (
      <Notice
        tone="warning"
        isLive
        title={t('make.unknown.title')}
        actions={
          <>
            <ButtonLink variant="primary" href="/">
              {t('frame.toBadges')}
            </ButtonLink>
            <Button onClick={edit}>{t('make.unknown.edit')}</Button>
          </>
        }
      >
        <p>{t('make.unknown.text')}</p>
      </Notice>
    );
  }
  // Also if another tab makes it.
  if (submission === null) return null;
  return (
    <Notice
      tone="warning"
      isLive
      title={t(madeTokenId === null ? 'make.stopped.title' : 'make.stopped.finishTitle')}
      actions={
        <>
          <Button variant="primary" onClick={() => void goOn()}>
            {t('make.stopped.goOn')}
          </Button>
          {madeTokenId !== null && (
            <Button onClick={() => onLeave(madeTokenId)}>{t('make.stopped.leave')}</Button>
          )}
        </>
      }
    >
      {error !== null && <p>{describe()}</p>}
      <p>{t(madeTokenId === null ? 'make.stopped.text' : 'make.stopped.finishText')}</p>
    </Notice>
  );

  function describe(): string {
    if (error instanceof OtherCreatorError) return t('make.correct.otherSigner');
    if (error instanceof WalletError && error.name !== 'Failed') return t(`signer.problems.${error.name}`);
    return describeError(error, t);
  }
}
