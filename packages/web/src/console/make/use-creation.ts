import { BadgeApiError, type SignedToken } from '@badge/sdk';
import { useEffect, useRef, useState } from 'react';
import { makeRandomId } from '../../random-id.ts';
import { useSession } from '../session/session.ts';
import { useLeaveQuestion } from '../use-leave-question.ts';
import { type Draft, type DraftStore, mayGoOn, type Submission } from './draft.ts';

/**
 * What happens to the badge: it is being typed, signed, sent, made by the service, or replaces the badge that
 * it corrects. `failed`: it was not made. `stopped`: it may have been made; going on makes it only
 * once. `unknown`: it may have been made, and this browser cannot find out.
 */
export type Stage =
  | 'editing'
  | 'signing'
  | 'sending'
  | 'waiting'
  | 'finishing'
  | 'failed'
  | 'stopped'
  | 'unknown';

interface CreationOptions {
  store: DraftStore;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  /** Called with the id of the new badge before the draft is forgotten, for what is still to be done. */
  finish: (tokenId: number, signal: AbortSignal) => Promise<void>;
  onMade: (tokenId: number) => void;
}

export interface Creation {
  stage: Stage;
  /** Why the last attempt has ended; null if it has not failed. */
  error: unknown;
  /** Whether the browser could not store the request, so that a reload would forget it. */
  isUnstored: boolean;
  /** Signs the badge and makes it. Does nothing while it is being made. */
  make(sign: () => Promise<SignedToken>): Promise<void>;
  /** Goes on with a badge that may have been sent. */
  goOn(): Promise<void>;
  /** Returns to the fields, and forgets the request. */
  edit(): void;
}

/**
 * Makes the badge of a draft, once. The signed request and its `Idempotency-Key` are stored before the
 * request is sent, so that a reload, another tab or a later attempt sends the same request again.
 */
export function useCreation(options: CreationOptions): Creation {
  const { badge, callerId, isPaused } = useSession();
  const [stage, setStage] = useState<Stage>('editing');
  const [error, setError] = useState<unknown>(null);
  const [isUnstored, setIsUnstored] = useState(false);
  /** The signal of the attempt that runs. */
  const running = useRef<AbortSignal | null>(null);
  const controller = useRef(new AbortController());
  const optionsRef = useRef(options);
  optionsRef.current = options;

  // biome-ignore lint/correctness/useExhaustiveDependencies: goes on once, when the page is opened.
  useEffect(() => {
    controller.current = new AbortController();
    const { submission } = optionsRef.current.draft;
    if (submission !== null) void attempt(() => run(submission));
    return () => controller.current.abort();
  }, []);

  // Without a stored request, a reload could only make a second badge.
  const isLosing = isUnstored && !['editing', 'failed'].includes(stage);
  useLeaveQuestion(isLosing);

  async function attempt(work: () => Promise<void>): Promise<void> {
    const { signal } = controller.current;
    // A double click.
    if (running.current === signal || isPaused) return;
    running.current = signal;
    setError(null);
    try {
      await work();
    } catch (caught) {
      if (signal.aborted) return;
      setError(caught);
      const { draft } = optionsRef.current;
      const { submission } = optionsRef.current.store.find() ?? draft;
      const isMade = submission !== null && submission.tokenId !== null;
      if (submission === null || (!isMade && isFinal(caught))) {
        save({ ...draft, submission: null });
        setStage('failed');
      } else {
        setStage(!isMade && isOfOther(caught) ? 'unknown' : 'stopped');
      }
    } finally {
      if (running.current === signal) running.current = null;
    }
  }

  function save(draft: Draft): void {
    const { store, onDraft } = optionsRef.current;
    setIsUnstored(!store.save(draft));
    onDraft(draft);
    // The next step may come before React renders.
    optionsRef.current = { ...optionsRef.current, draft };
  }

  async function run(begun: Submission): Promise<void> {
    const { signal } = controller.current;
    if (!mayGoOn(begun, callerId)) {
      setStage('unknown');
      return;
    }
    let submission = begun;
    const proceed = (changes: Partial<Submission>) => {
      submission = { ...submission, ...changes };
      save({ ...optionsRef.current.draft, submission });
    };
    if (submission.operationId === null) {
      const { body, idempotencyKey } = submission;
      if (body === null) throw new Error('the request is missing');
      setStage('sending');
      const { operationId } = await badge.createToken(body, { idempotencyKey, signal });
      proceed({ operationId, body: null });
    }
    if (submission.tokenId === null) {
      setStage('waiting');
      const { operationId } = submission;
      const { tokenId } = await badge.waitForOperation({ operationId: operationId ?? '', signal });
      proceed({ tokenId });
    }
    const tokenId = submission.tokenId ?? 0;
    setStage('finishing');
    await optionsRef.current.finish(tokenId, signal);
    signal.throwIfAborted();
    optionsRef.current.store.remove();
    optionsRef.current.onMade(tokenId);
  }

  return {
    stage,
    error,
    isUnstored: isLosing,
    make: (sign) =>
      attempt(async () => {
        // Another tab may have begun to make this draft.
        const begun = () => optionsRef.current.store.find()?.submission ?? null;
        const earlier = begun();
        if (earlier !== null) return await run(earlier);
        setStage('signing');
        const body = await sign();
        controller.current.signal.throwIfAborted();
        const submission = begun() ?? {
          body,
          idempotencyKey: `make-${makeRandomId()}`,
          callerId,
          beganAtTimestamp: Date.now(),
          operationId: null,
          tokenId: null,
        };
        save({ ...optionsRef.current.draft, submission });
        await run(submission);
      }),
    goOn: () =>
      attempt(async () => {
        const { submission } = optionsRef.current.draft;
        if (submission !== null) await run(submission);
      }),
    edit() {
      save({ ...optionsRef.current.draft, submission: null });
      setStage('editing');
      setError(null);
    },
  };
}

/** Whether an error says that the badge was not made, and that the request with this key will not make it. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof BadgeApiError)) return false;
  // Also the error of the operation.
  if (error.operationId !== null) return true;
  // An earlier attempt may have been accepted, whose response was lost, before the caller lost its right.
  if (isOfOther(error)) return false;
  return [400, 403, 404, 409, 413, 422].includes(error.status) && error.name !== 'IdempotencyKeyInUse';
}

/**
 * Whether the caller has lost its right to make the badge. A lost session is none: the person signs in again.
 */
function isOfOther(error: unknown): boolean {
  return error instanceof BadgeApiError && ['RoleNotAllowed', 'ApiKeyNotAllowed'].includes(error.name);
}
