import {
  type ApiKey,
  BadgeApiError,
  type BadgeClient,
  type Member,
  type Role,
  type Webhook,
  type WebhookWithSecret,
} from '@badge/sdk';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Address } from '../../design/address.tsx';
import { CheckListField } from '../../design/check-list-field.tsx';
import { LoadingBlock } from '../../design/spinner.tsx';
import { LoadError } from '../../load-error.tsx';
import { useLoaded } from '../../use-loaded.ts';
import { ActionDialog } from '../action-dialog.tsx';
import { includesRole, useSession } from '../session/session.ts';
import { RoleSelect } from './role-select.tsx';

/** What a member has made. */
interface Made {
  webhooks: Webhook[];
  keys: ApiKey[];
}

/** The webhooks that the owner has kept, and those that it could not keep because of `error`. */
export interface KeptWebhooks {
  kept: WebhookWithSecret[];
  stopped: Webhook[];
  error: unknown;
}

interface MemberDialogProps {
  member: Member;
  isRemoval: boolean;
  onDone: (webhooks: KeptWebhooks) => void;
  onClose: () => void;
}

/**
 * Removes a member, or gives it another role. Says what ends with its right, and keeps what the owner
 * chooses.
 */
export function MemberDialog({ member, isRemoval, onDone, onClose }: MemberDialogProps) {
  const { t } = useTranslation('console');
  const { badge, communityId, address: ownAddress, callerId } = useSession();
  const [role, setRole] = useState<Role>(member.role);
  const [keptIds, setKeptIds] = useState<string[]>([]);
  const [kept, setKept] = useState<('apiKeys' | 'mails')[]>([]);
  const made = useLoaded(`made/${communityId}/${member.address}`, (signal) =>
    readMade(badge, communityId, member.address, signal),
  );
  const all = made.status === 'loaded' ? made.value : { webhooks: [], keys: [] };
  const { webhooks, keys, endMails } = findLost(all, member.role, isRemoval ? null : role);
  // Nobody keeps what it has made itself, also not with a key that it has made.
  const isItself = member.address === ownAddress || all.keys.some(({ apiKeyId }) => apiKeyId === callerId);

  async function submit(): Promise<void> {
    const choice = {
      communityId,
      address: member.address,
      keepMails: endMails && kept.includes('mails') && !isItself,
      keepApiKeys: keys.length > 0 && kept.includes('apiKeys') && !isItself,
    };
    if (!isRemoval) await badge.setMember({ ...choice, role });
    else {
      await badge.removeMember(choice).catch((error: unknown) => {
        // An earlier attempt has removed the member, and its response was lost.
        if (!(error instanceof BadgeApiError && error.name === 'MemberNotFound')) throw error;
      });
    }
    const chosen = isItself ? [] : webhooks.filter(({ webhookId }) => keptIds.includes(webhookId));
    onDone(await keepWebhooks(badge, communityId, chosen));
  }

  return (
    <ActionDialog
      title={t(isRemoval ? 'members.removeDialog.title' : 'members.changeDialog')}
      submitLabel={t(isRemoval ? 'members.remove' : 'members.change')}
      isDangerous={isRemoval}
      isReady={made.status !== 'loading'}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        <Address value={member.address} />
      </p>
      {isRemoval ? (
        <p>{t('members.removeDialog.text')}</p>
      ) : (
        <>
          <RoleSelect value={role} onChange={setRole} />
          <p>{t(`members.roleTexts.${role}`)}</p>
        </>
      )}
      {made.status === 'loading' && <LoadingBlock />}
      {made.status === 'failed' && (
        <>
          <LoadError error={made.error} onRetry={made.reload} />
          <p>{t('members.ends.unread')}</p>
        </>
      )}
      {isItself && (webhooks.length > 0 || keys.length > 0 || endMails) && <p>{t('members.ends.own')}</p>}
      {webhooks.length > 0 && (
        <>
          <p>
            {t(isItself ? 'members.ends.ownWebhooks' : 'members.ends.webhooks')}{' '}
            {isItself && <Names of={webhooks} />}
          </p>
          {!isItself && (
            <CheckListField
              legend={t('members.ends.keepWebhooks')}
              values={keptIds}
              onChange={setKeptIds}
              choices={webhooks.map(({ webhookId, name, url }) => ({
                value: webhookId,
                label: (
                  <>
                    <bdi>{name}</bdi> · <bdi dir="ltr">{url}</bdi>
                  </>
                ),
              }))}
            />
          )}
        </>
      )}
      {keys.length > 0 && (
        <p>
          {t('members.ends.keys')} <Names of={keys} />
        </p>
      )}
      {endMails && <p>{t('members.ends.mails')}</p>}
      {!isItself && (keys.length > 0 || endMails) && (
        <CheckListField
          legend={t('members.ends.keep')}
          values={kept}
          onChange={setKept}
          choices={[
            ...(keys.length > 0 ? [{ value: 'apiKeys' as const, label: t('members.ends.keepKeys') }] : []),
            ...(endMails ? [{ value: 'mails' as const, label: t('members.ends.keepMails') }] : []),
          ]}
        />
      )}
    </ActionDialog>
  );
}

function Names({ of }: { of: readonly { name: string }[] }) {
  return of.map(({ name }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the names do not change, and two can be equal.
    <Fragment key={index}>
      {index > 0 && ' · '}
      <bdi>{name}</bdi>
    </Fragment>
  ));
}

async function readMade(
  badge: BadgeClient,
  communityId: string,
  address: string,
  signal: AbortSignal,
): Promise<Made> {
  const made: Made = { webhooks: [], keys: [] };
  const isMaker = (createdBy: string | null) => createdBy?.toLowerCase() === address.toLowerCase();
  for await (const webhook of badge.listWebhooks({ communityId }, { signal })) {
    if (isMaker(webhook.createdBy)) made.webhooks.push(webhook);
  }
  for await (const key of badge.listApiKeys({ communityId }, { signal })) {
    if (isMaker(key.createdBy)) made.keys.push(key);
  }
  return made;
}

/**
 * What a member loses who gets `next`; null: who is removed. The webhooks of one who is no owner have stopped
 * already.
 */
function findLost({ webhooks, keys }: Made, role: Role, next: Role | null): Made & { endMails: boolean } {
  return {
    webhooks: role === 'owner' && next !== 'owner' ? webhooks : [],
    keys: keys.filter((key) => next === null || !includesRole(next, key.role)),
    endMails: role !== 'viewer' && (next === null || next === 'viewer'),
  };
}

/**
 * Gives each webhook a new secret. The member has lost its right already, so a failure stops only this
 * webhook.
 */
async function keepWebhooks(
  badge: BadgeClient,
  communityId: string,
  webhooks: readonly Webhook[],
): Promise<KeptWebhooks> {
  const result: KeptWebhooks = { kept: [], stopped: [], error: null };
  for (const webhook of webhooks) {
    try {
      result.kept.push(await badge.rotateWebhookSecret({ communityId, webhookId: webhook.webhookId }));
    } catch (error) {
      result.stopped.push(webhook);
      result.error = error;
    }
  }
  return result;
}
