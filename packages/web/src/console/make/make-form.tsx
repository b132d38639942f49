import type { NewToken, NftType, SignedToken } from '@badge/sdk';
import { type FormEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { Address } from '../../design/address.tsx';
import { Button } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { TextAreaField, TextField } from '../../design/text-field.tsx';
import { WalletError } from '../../wallet/wallet-error.ts';
import type { MadeState } from '../made-notice.tsx';
import { followReplacement } from '../move-kept.ts';
import { useSession } from '../session/session.ts';
import { keyOf, openSigner, type SignerChoice, signNewToken } from '../signer/signer.ts';
import { SignerField } from '../signer/signer-field.tsx';
import { listChanges, OtherCreatorError, replaceToken, toFields } from './correct-token.ts';
import { Changes, CorrectionNotice } from './correction.tsx';
import { CreationNotice, isBusy } from './creation-notice.tsx';
import { DesignField } from './design-field.tsx';
import { type Draft, emptyFields, type Fields, openDraftStore } from './draft.ts';
import { LivePicture } from './live-picture.tsx';
import type { MakeData } from './make-data.ts';
import styles from './make-page.module.css';
import {
  type FieldName,
  type FieldProblem,
  type FieldProblems,
  findServiceProblems,
  type ReadFields,
  readFields,
} from './read-fields.ts';
import { AttributeFields, LinkFields, TimeField } from './row-fields.tsx';
import { useCreation } from './use-creation.ts';
import { WhoField } from './who-field.tsx';

/** The fields of the part that is closed at first. */
const DETAILS = /^(criteria|links|start|end|claimFrom|claimUntil|valid|attributes)/;
const NO_PROBLEMS: FieldProblems = new Map();

/** The form of a new badge, with its picture, until the badge is made. */
export function MakeForm({ data, signers }: { data: MakeData; signers: readonly SignerChoice[] }) {
  const { t } = useTranslation('console');
  const { badge, communityId } = useSession();
  const [, navigate] = useLocation();
  const { corrected, creatorKey, reservedNames } = data;
  const oldTokenId = corrected?.tokenId ?? null;
  const store = useMemo(() => openDraftStore(communityId, oldTokenId), [communityId, oldTokenId]);
  const [designs, setDesigns] = useState(data.designs);
  const firstFields = () =>
    corrected === null ? emptyFields(designs[0]?.nftTypeId ?? '') : toFields(corrected);
  const [draft, setDraft] = useState<Draft>(
    () => store.find() ?? { fields: firstFields(), submission: null },
  );
  const { fields } = draft;
  const [isEndedElsewhere, setIsEndedElsewhere] = useState(false);
  const [signerId, setSignerId] = useState<SignerChoice['id'] | null>(null);
  const choices = signers.filter((choice) => creatorKey === null || creatorKey === keyOf(choice));
  const signer = choices.find(({ id }) => id === signerId) ?? choices[0] ?? null;
  const changes = corrected === null ? null : listChanges(toFields(corrected), fields);
  const isUnchanged = changes?.length === 0;
  const [isChecked, setIsChecked] = useState(false);
  const [isMore, setIsMore] = useState(false);
  const [serviceProblems, setServiceProblems] = useState(NO_PROBLEMS);
  // Another number after each press of the button that finds something wrong.
  const [refusals, setRefusals] = useState(0);
  const formRef = useRef<HTMLFormElement>(null);

  const read = readFields(fields, {
    communityId,
    nftTypeIds: designs.map(({ nftTypeId }) => nftTypeId),
    reservedNames,
  });

  const creation = useCreation({
    store,
    draft,
    onDraft: setDraft,
    async finish(newTokenId, signal) {
      if (oldTokenId === null) return;
      await replaceToken(badge, { oldTokenId, newTokenId }, signal);
      await followReplacement(badge, await badge.getToken({ tokenId: oldTokenId }, { signal }), signal);
    },
    onMade(tokenId) {
      const isCorrected = corrected !== null;
      const isForList = !isCorrected && fields.who !== 'everyone';
      const state: MadeState = { madeHeadline: fields.headline, isCorrected, isForList };
      navigate(isCorrected ? `/badges/${tokenId}` : `/badges/${tokenId}/give`, { state });
    },
  });
  const { stage, error } = creation;
  const isLocked = draft.submission !== null || isBusy(stage);

  useEffect(
    () =>
      store.subscribe((changed) => {
        setIsEndedElsewhere(changed === null);
        setDraft((last) => changed ?? { ...last, submission: null });
      }),
    [store],
  );

  /** Opens the part with a problem, and moves to the first field with one. */
  const showProblems = useCallback((found: FieldProblems) => {
    if ([...found.keys()].some((field) => DETAILS.test(field))) setIsMore(true);
    setRefusals((count) => count + 1);
  }, []);

  // What the service says about fields, until they are changed.
  const { fieldOf } = read;
  const fieldOfRef = useRef(fieldOf);
  fieldOfRef.current = fieldOf;
  useEffect(() => {
    const found = stage === 'failed' ? findServiceProblems(error, fieldOfRef.current) : NO_PROBLEMS;
    setServiceProblems(found);
    if (found.size > 0) showProblems(found);
  }, [stage, error, showProblems]);

  const problems = new Map([...serviceProblems, ...(isChecked ? read.problems : [])]);
  useEffect(() => {
    if (refusals === 0) return;
    formRef.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid] input')?.focus();
  }, [refusals]);

  function edit(changes: Partial<Fields>): void {
    const edited = { fields: { ...fields, ...changes }, submission: null };
    setDraft(edited);
    store.save(edited);
    setIsEndedElsewhere(false);
    const names = Object.keys(changes);
    setServiceProblems(
      (last) => new Map([...last].filter(([field]) => !names.includes(field.replace(/\..*/, '')))),
    );
  }

  function startAgain(): void {
    store.remove();
    setDraft({ fields: firstFields(), submission: null });
    setIsChecked(false);
    setServiceProblems(NO_PROBLEMS);
  }

  function requireSigner(): SignerChoice {
    if (signer === null) throw new WalletError('Disconnected');
    return signer;
  }

  async function sign({ token, count }: ReadFields): Promise<SignedToken> {
    const opened = await openSigner(requireSigner(), { badge, communityId });
    // Which account a wallet has is known when it is connected.
    const creator = corrected?.createdByAddress ?? opened.address;
    if (opened.address.toLowerCase() !== creator.toLowerCase()) throw new OtherCreatorError();
    // A list cannot be empty. So the one who signs is on it, until links or people are added.
    const who = fields.who === 'everyone' ? { totalClaimCount: count } : { contributors: [opened.address] };
    const isSignatureRequired = corrected?.claimabilityAttributes.isSignatureRequired ?? false;
    return await signNewToken(badge, opened, { ...token, isSignatureRequired, ...who } as NewToken);
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isLocked) return;
    setIsChecked(true);
    if (read.problems.size > 0) showProblems(read.problems);
    else if (isUnchanged) return;
    else await creation.make(() => sign(read));
  }

  function problemOf(field: FieldName): string | null {
    const problem = problems.get(field);
    return problem === undefined ? null : describe(problem);
  }

  function describe(problem: FieldProblem): string {
    if (problem.name === 'service') return t('make.problems.service', { detail: problem.detail });
    return t(`make.problems.${problem.name}`, { max: problem.max });
  }

  const addDesign = (design: NftType) => {
    setDesigns((last) => [...last, design]);
    edit({ nftTypeId: design.nftTypeId });
  };
  const chosen = designs.find(({ nftTypeId }) => nftTypeId === fields.nftTypeId);
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1>{t(corrected === null ? 'frame.make' : 'make.correct.action')}</h1>
        {corrected !== null && <CorrectionNotice token={corrected} />}
      </header>
      <div className={styles.aside}>
        <LivePicture design={chosen} headline={fields.headline} />
      </div>
      <form ref={formRef} className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
        <fieldset className={styles.fields} disabled={isLocked} aria-label={t('make.fields')}>
          <TextField
            label={t('make.headline')}
            hint={t('make.headlineHint')}
            autoComplete="off"
            value={fields.headline}
            error={problemOf('headline')}
            onChange={(event) => edit({ headline: event.target.value })}
          />
          <TextAreaField
            label={t('make.description')}
            hint={t('make.descriptionHint')}
            value={fields.description}
            error={problemOf('description')}
            onChange={(event) => edit({ description: event.target.value })}
          />
          <DesignField
            designs={designs}
            value={fields.nftTypeId}
            error={problemOf('nftTypeId')}
            onChange={(nftTypeId) => edit({ nftTypeId })}
            onUpload={addDesign}
          />
          {(corrected === null || fields.who === 'everyone') && (
            <WhoField fields={fields} isFixed={corrected !== null} problemOf={problemOf} onChange={edit} />
          )}
          <details
            className={styles.details}
            open={isMore}
            onToggle={(event) => setIsMore(event.currentTarget.open)}
          >
            <summary>{t('make.more')}</summary>
            {/* Only while it is open: browsers run no transitions in a closed part, so they would never end. */}
            {isMore && (
              <div className={styles.fields}>
                <TextAreaField
                  label={t('make.criteria')}
                  hint={t('make.criteriaHint')}
                  value={fields.criteria}
                  error={problemOf('criteria')}
                  onChange={(event) => edit({ criteria: event.target.value })}
                />
                <div className={styles.dates}>
                  <TimeField
                    legend={t('make.dates.start')}
                    value={fields.start}
                    error={problemOf('start')}
                    onChange={(start) => edit({ start })}
                  />
                  <TimeField
                    legend={t('make.dates.end')}
                    value={fields.end}
                    error={problemOf('end')}
                    onChange={(end) => edit({ end })}
                  />
                </div>
                <TimeField
                  legend={t('make.dates.claimFrom')}
                  hint={t('make.dates.claimFromHint')}
                  value={fields.claimFrom}
                  error={problemOf('claimFrom')}
                  onChange={(claimFrom) => edit({ claimFrom })}
                />
                <TimeField
                  legend={t('make.dates.claimUntil')}
                  hint={t('make.dates.claimUntilHint')}
                  value={fields.claimUntil}
                  error={problemOf('claimUntil')}
                  onChange={(claimUntil) => edit({ claimUntil })}
                />
                <TextField
                  label={t('make.dates.validityDays')}
                  hint={t('make.dates.validityDaysHint')}
                  inputMode="numeric"
                  autoComplete="off"
                  value={fields.validityDays}
                  error={problemOf('validityDays')}
                  onChange={(event) => edit({ validityDays: event.target.value })}
                />
                <TimeField
                  legend={t('make.dates.validUntil')}
                  hint={t('make.dates.validUntilHint')}
                  value={fields.validUntil}
                  error={problemOf('validUntil')}
                  onChange={(validUntil) => edit({ validUntil })}
                />
                <LinkFields
                  links={fields.links}
                  problemOf={problemOf}
                  onChange={(links) => edit({ links })}
                />
                <AttributeFields
                  attributes={fields.attributes}
                  problemOf={problemOf}
                  onChange={(attributes) => edit({ attributes })}
                />
              </div>
            )}
          </details>
        </fieldset>
        {corrected !== null && changes !== null && (
          <Changes changes={changes} before={corrected.headline} after={fields.headline} />
        )}
        <fieldset className={styles.fields} disabled={isBusy(stage)} aria-label={t('signer.legend')}>
          {corrected !== null && choices.length === 0 ? (
            <Notice tone="warning">
              <p>{t('give.sign.noWallet')}</p>
              <Address value={corrected.createdByAddress} />
            </Notice>
          ) : (
            <SignerField choices={choices} value={signer?.id ?? null} onChange={setSignerId} />
          )}
        </fieldset>
        {isEndedElsewhere && (
          <Notice tone="info" isLive>
            {t('make.endedElsewhere')}
          </Notice>
        )}
        {problems.size > 0 && (
          <Notice tone="error" isLive>
            {t('make.problems.some')}
          </Notice>
        )}
        <CreationNotice
          creation={creation}
          submission={draft.submission}
          hasFieldProblem={serviceProblems.size > 0}
          onLeave={(tokenId) => {
            store.remove();
            navigate(`/badges/${tokenId}`);
          }}
        />
        <div className={styles.actions}>
          {draft.submission === null || isBusy(stage) ? (
            <Button
              type="submit"
              variant="primary"
              size="large"
              isBusy={isBusy(stage)}
              isDisabled={signer === null || isUnchanged}
            >
              {t(corrected === null ? 'make.submit' : 'make.correct.submit')}
            </Button>
          ) : null}
          {!isLocked && !isUnchanged && (
            <Button variant="quiet" onClick={startAgain}>
              {t(corrected === null ? 'make.startAgain' : 'make.correct.undo')}
            </Button>
          )}
        </div>
        <p className={styles.muted}>{t('make.draftHint')}</p>
      </form>
    </div>
  );
}
