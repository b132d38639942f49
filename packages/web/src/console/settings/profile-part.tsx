import { BadgeApiError, type Community, type CommunityConfiguration } from '@badge/sdk';
import { type FormEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../design/button.tsx';
import { FactList } from '../../design/fact-list.tsx';
import fieldStyles from '../../design/field.module.css';
import { FileButton } from '../../design/file-button.tsx';
import { joinClasses } from '../../design/join-classes.ts';
import { Notice } from '../../design/notice.tsx';
import { SelectField } from '../../design/select-field.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { TextAreaField, TextField } from '../../design/text-field.tsx';
import { useFileDrop } from '../../design/use-file-drop.ts';
import { LoadError } from '../../load-error.tsx';
import { CommunityLogo } from '../../token/community-logo.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { findChainName } from '../../wallet/chains.ts';
import { describePictureError } from '../picture/describe-picture-error.ts';
import { PICTURE_TYPES, usePicture } from '../picture/use-picture.tsx';
import { useSession } from '../session/session.ts';
import styles from './settings-page.module.css';

/** The name, the description and the logo of the community, which everybody sees. */
export function ProfilePart() {
  const { t } = useTranslation('console');
  const { badge, communityId, may } = useSession();
  const loaded = useLoaded(`profile/${communityId}`, async (signal) => {
    const [community, configuration] = await Promise.all([
      badge.getCommunity({ communityId }, { signal }),
      badge.getCommunityConfiguration({ communityId }, { signal }),
    ]);
    return { community, configuration };
  });
  if (loaded.status === 'loading') return <LoadingBlock />;
  if (loaded.status === 'failed') return <LoadError error={loaded.error} onRetry={loaded.reload} />;
  const { community: value, configuration } = loaded.value;
  if (may('owner')) return <ProfileForm community={value} configuration={configuration} />;
  const reminders = writeReminders(configuration.reminders);
  return (
    <div className={styles.stack}>
      <p>{t('profile.readOnly')}</p>
      <FactList
        facts={[
          { label: t('profile.name'), value: <bdi>{value.name}</bdi> },
          { label: t('profile.displayId'), value: <bdi>{value.displayId}</bdi> },
          { label: t('profile.description'), value: <bdi>{value.description || '–'}</bdi> },
          { label: t('profile.reminders.unclaimed'), value: reminders.unclaimed || '–' },
          { label: t('profile.reminders.expiry'), value: reminders.expiry || '–' },
        ]}
      />
    </div>
  );
}

interface ProfileFormProps {
  community: Community;
  configuration: CommunityConfiguration;
}

function ProfileForm({ community, configuration }: ProfileFormProps) {
  const { t } = useTranslation('console');
  const { badge, communityId, reload } = useSession();
  const [fields, setFields] = useState(community);
  const [state, setState] = useState<'edited' | 'saving' | 'saved'>('edited');
  const [error, setError] = useState<unknown>(null);
  const [isUploading, setIsUploading] = useState(false);
  const [logoName, setLogoName] = useState<string | null>(null);
  const { prepare, dialog } = usePicture();
  const { isDragging, place } = useFileDrop((file) => void upload(file));
  const [walletChainId, setWalletChainId] = useState<number | null>(null);
  const [reminders, setReminders] = useState<TypedReminders | null>(null);
  const fileId = useId();

  function edit(changes: Partial<Community>): void {
    setFields((last) => ({ ...last, ...changes }));
    setState('edited');
  }

  /** What is wrong with a field, in the words of the service if there are no others. */
  function errorOf(name: 'name' | 'displayId' | 'description'): string | null {
    if (!(error instanceof BadgeApiError)) return null;
    const found = error.errors.find((one) => 'pointer' in one && one.pointer === `/${name}`);
    if (found === undefined) return null;
    return fields[name].trim() === '' ? t('profile.missing') : found.detail;
  }
  const hasFieldError = (['name', 'displayId', 'description'] as const).some(
    (name) => errorOf(name) !== null,
  );

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setState('saving');
    setError(null);
    try {
      const { name, displayId, description, logoUrl } = fields;
      await badge.updateCommunity({
        communityId,
        name,
        displayId,
        description,
        // The service returns the URL of its default logo, which is no choice of the community.
        ...(logoUrl === community.logoUrl ? {} : { logoUrl }),
        ...(walletChainId === null ? {} : { contractWalletChainId: walletChainId }),
        ...(reminders === null ? {} : { reminders: readReminders(reminders) }),
      });
      setState('saved');
      // The header has the name.
      reload();
    } catch (caught) {
      setError(caught);
      setState('edited');
    }
  }

  async function upload(file: File): Promise<void> {
    if (isUploading) return;
    setIsUploading(true);
    setError(null);
    try {
      const assetFile = await prepare(file);
      if (assetFile === null) return;
      const { assetUrl } = await badge.createNftType({ communityId, name: 'Logo', assetFile });
      edit({ logoUrl: assetUrl });
      setLogoName(file.name);
    } catch (caught) {
      setError(caught);
    } finally {
      setIsUploading(false);
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void save(event)} noValidate>
      <TextField
        label={t('profile.name')}
        maxLength={200}
        value={fields.name}
        error={errorOf('name')}
        onChange={(event) => edit({ name: event.target.value })}
      />
      <TextField
        label={t('profile.displayId')}
        hint={t('profile.displayIdHint')}
        maxLength={64}
        value={fields.displayId}
        error={errorOf('displayId')}
        onChange={(event) => edit({ displayId: event.target.value })}
      />
      <TextAreaField
        label={t('profile.description')}
        maxLength={1_000}
        value={fields.description}
        error={errorOf('description')}
        onChange={(event) => edit({ description: event.target.value })}
      />
      <fieldset className={joinClasses(styles.logoField, isDragging && styles.isDragging)} {...place}>
        <legend className={fieldStyles.label}>{t('profile.logo')}</legend>
        <div className={styles.logo}>
          <CommunityLogo communityId={communityId} name={fields.name} logoUrl={fields.logoUrl} isLarge />
          <FileButton
            label={t('profile.logoFile')}
            accept={PICTURE_TYPES}
            fileName={logoName}
            isBusy={isUploading}
            aria-describedby={`${fileId}-hint`}
            onFile={(file) => void upload(file)}
          />
        </div>
        <p id={`${fileId}-hint`} className={fieldStyles.hint}>
          {isUploading ? t('profile.uploading') : t('profile.logoHint')}
        </p>
      </fieldset>
      {dialog}
      <WalletChainField
        configuration={configuration}
        chainId={walletChainId}
        onChange={(chainId) => {
          setWalletChainId(chainId);
          setState('edited');
        }}
      />
      <ReminderFields
        reminders={reminders ?? writeReminders(configuration.reminders)}
        onChange={(typed) => {
          setReminders(typed);
          setState('edited');
        }}
      />
      {error !== null && !hasFieldError && (
        <Notice tone="error" isLive>
          {describePictureError(error, t)}
        </Notice>
      )}
      {state === 'saved' && (
        <Notice tone="success" isLive>
          {t('profile.saved')}
        </Notice>
      )}
      <div>
        <Button
          type="submit"
          variant="primary"
          isBusy={state === 'saving'}
          isDisabled={isUploading || (reminders !== null && !areReminders(reminders))}
        >
          {t('profile.save')}
        </Button>
      </div>
    </form>
  );
}

/** Days, as a person types them: `7, 30`. */
interface TypedReminders {
  unclaimed: string;
  expiry: string;
}

const writeReminders = ({ unclaimedAfterDays, beforeExpiryDays }: CommunityConfiguration['reminders']) => ({
  unclaimed: unclaimedAfterDays.join(', '),
  expiry: beforeExpiryDays.join(', '),
});

const readDays = (typed: string) => [...new Set(typed.match(/\d+/g)?.map(Number) ?? [])];

const readReminders = ({ unclaimed, expiry }: TypedReminders) => ({
  unclaimedAfterDays: readDays(unclaimed),
  beforeExpiryDays: readDays(expiry),
});

/** Whether these are at most three numbers of days, up to a year. */
function areDays(typed: string): boolean {
  const days = readDays(typed);
  return /^[\d\s,،;]*$/.test(typed) && days.length <= 3 && days.every((day) => day >= 1 && day <= 365);
}

const areReminders = ({ unclaimed, expiry }: TypedReminders) => areDays(unclaimed) && areDays(expiry);

/** After, and before, how many days people are reminded. */
function ReminderFields({
  reminders,
  onChange,
}: {
  reminders: TypedReminders;
  onChange: (reminders: TypedReminders) => void;
}) {
  const { t } = useTranslation('console');
  return (
    <>
      {(['unclaimed', 'expiry'] as const).map((name) => (
        <TextField
          key={name}
          label={t(`profile.reminders.${name}`)}
          hint={t(`profile.reminders.${name}Hint`)}
          error={areDays(reminders[name]) ? null : t('profile.reminders.wrong')}
          value={reminders[name]}
          onChange={(event) => onChange({ ...reminders, [name]: event.target.value })}
        />
      ))}
    </>
  );
}

interface WalletChainFieldProps {
  configuration: CommunityConfiguration;
  /** What was chosen here; null if nothing was. */
  chainId: number | null;
  onChange: (chainId: number) => void;
}

/** The chain of the community's contract wallets. Not shown if the service can ask none. */
function WalletChainField({ configuration, chainId, onChange }: WalletChainFieldProps) {
  const { t } = useTranslation('console');
  const { contractWalletChainId, contractWalletChainIds, eip712 } = configuration;
  if (contractWalletChainIds.length === 0) return null;
  const choices = new Set([contractWalletChainId, eip712.domain.chainId, ...contractWalletChainIds]);
  return (
    <div>
      <SelectField
        label={t('profile.walletChain')}
        value={chainId ?? contractWalletChainId}
        onChange={(event) => onChange(Number(event.target.value))}
      >
        {[...choices].map((id) => (
          <option key={id} value={id}>
            {findChainName(id) ?? t('profile.chain', { id: String(id) })}
          </option>
        ))}
      </SelectField>
      <p className={fieldStyles.hint}>{t('profile.walletChainHint')}</p>
    </div>
  );
}
