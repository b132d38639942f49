import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Notice } from '../../design/notice.tsx';
import { Spinner } from '../../design/spinner.tsx';
import { VisuallyHidden } from '../../design/visually-hidden.tsx';
import type { WalletDiscovery } from '../../wallet/discover-wallets.ts';
import { ChooseStep } from './choose-step.tsx';
import type { ClaimFlow } from './claim-flow.ts';
import styles from './claim-panel.module.css';
import type { ClaimState, Step } from './claim-state.ts';
import { DoneStep } from './done-step.tsx';
import type { ConnectionProblem } from './keep-trying.ts';
import { RefusedStep } from './refused-step.tsx';
import { ReviewStep } from './review-step.tsx';

interface ClaimPanelProps {
  flow: ClaimFlow;
  state: ClaimState;
  wallets: WalletDiscovery;
}

/** The part of the page in which the person acts: it shows the current step. */
export function ClaimPanel({ flow, state, wallets }: ClaimPanelProps) {
  const { t } = useTranslation();
  const { step, problem } = state;
  const cardRef = useRef<HTMLDivElement>(null);
  const lastNameRef = useRef(step.name);

  // The button that was pressed is gone, so keyboard and screen reader continue at the heading of the next
  // step.
  useEffect(() => {
    if (lastNameRef.current === step.name) return;
    lastNameRef.current = step.name;
    const card = cardRef.current;
    if (card === null) return;
    const { activeElement } = document;
    const isFocusLost = activeElement === document.body || activeElement === null;
    if (isFocusLost || card.contains(activeElement)) card.querySelector('h2')?.focus({ preventScroll: true });
    // A page that has just been loaded stays at its top.
    if (navigator.userActivation.hasBeenActive) showCard(card, step);
  }, [step]);

  const waitingStep = findWaitingStep(step);
  return (
    <Card ref={cardRef} className={styles.panel}>
      {waitingStep === null ? (
        showStep({ flow, state, wallets })
      ) : (
        <Waiting
          title={t(`claim.waiting.${waitingStep}.title`)}
          onCancel={isWaitingForWallet(step) ? () => flow.send({ type: 'wentBack' }) : null}
        >
          {t(`claim.waiting.${waitingStep}.text`)}
        </Waiting>
      )}
      {problem !== null && <ProblemNotice problem={problem} onRetry={flow.retryNow} />}
      <VisuallyHidden role="status">
        {waitingStep !== null && t(`claim.waiting.${waitingStep}.title`)}
        {step.name === 'done' && (step.isNew ? t('claim.done.newTitle') : t('claim.done.oldTitle'))}
      </VisuallyHidden>
    </Card>
  );
}

/** Scrolls to a new step. The steps differ in height, so it can begin above the screen, or end below it. */
function showCard(card: HTMLElement, { name }: Step): void {
  const { top, bottom } = card.getBoundingClientRect();
  // The claimed badge is shown with its picture, which is above the card on a phone.
  if (name === 'done') scrollTo({ top: 0 });
  else if (top < 0 || bottom > innerHeight) card.scrollIntoView({ block: top < 0 ? 'start' : 'nearest' });
}

function showStep({ flow, state, wallets }: ClaimPanelProps): ReactNode {
  const { step } = state;
  switch (step.name) {
    case 'choose':
      return <ChooseStep flow={flow} state={state} step={step} wallets={wallets} />;
    case 'review':
      return <ReviewStep flow={flow} state={state} step={step} wallets={wallets} />;
    case 'done':
      return <DoneStep flow={flow} state={state} step={step} />;
    case 'refused':
      return <RefusedStep flow={flow} state={state} step={step} wallets={wallets} />;
    default:
      return null;
  }
}

/** The steps that wait for the service or for the wallet. */
const WAITING_STEPS = [
  'loading',
  'verifying',
  'connecting',
  'checking',
  'signing',
  'switching',
  'claiming',
] as const;

/** Returns the name of the step if it waits for the service or for the wallet, otherwise null. */
function findWaitingStep({ name }: Step): (typeof WAITING_STEPS)[number] | null {
  return WAITING_STEPS.find((waitingName) => waitingName === name) ?? null;
}

/** Whether the step waits for the person to act in the wallet. */
function isWaitingForWallet({ name }: Step): boolean {
  return name === 'connecting' || name === 'signing' || name === 'switching';
}

function Waiting({
  title,
  children,
  onCancel,
}: {
  title: string;
  children: ReactNode;
  onCancel: (() => void) | null;
}) {
  const { t } = useTranslation();
  return (
    <div className={styles.waiting}>
      <span className={styles.spinner}>
        <Spinner />
      </span>
      <h2 tabIndex={-1}>{title}</h2>
      <p className={styles.muted}>{children}</p>
      {onCancel !== null && <Button onClick={onCancel}>{t('claim.cancel')}</Button>}
    </div>
  );
}

function ProblemNotice({ problem, onRetry }: { problem: ConnectionProblem; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <Notice
      tone="warning"
      isLive
      title={t(`claim.problems.${problem}.title`)}
      actions={
        <Button size="small" onClick={onRetry}>
          {t('claim.problems.tryNow')}
        </Button>
      }
    >
      {t(`claim.problems.${problem}.text`)}
    </Notice>
  );
}
