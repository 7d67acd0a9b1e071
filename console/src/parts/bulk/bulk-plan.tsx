/** The preview: what the change would do. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Group } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { DialogFoot } from '../../ui/dialog.tsx'
import { GroupPicker } from '../group-picker/group-picker.tsx'
import { RoleSelect } from '../user-details/role-select.tsx'
import styles from './bulk-dialog.module.css'
import { Focused, LeftOut, Progress, Refusals, Tiles } from './bulk-parts.tsx'
import type { BulkResult, BulkState } from './bulk-run.ts'
import type { BulkWords } from './bulk-words.tsx'
import type { BulkAction, Selection } from './selection.ts'

type RoleProps = { initial: string; onClose: () => void; onChoose: (role: string) => void }

export function ChooseRole({ initial, onClose, onChoose }: RoleProps) {
  const { t } = useLingui()
  const [role, setRole] = useState(initial)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(role)
      }}
    >
      <Stack gap="md">
        <RoleSelect
          current="user"
          value={role}
          onChange={(event) => setRole(event.currentTarget.value)}
          description={t`The Roles page lists what each role may do.`}
          data-autofocus
        />
        <DialogFoot>
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit">
            <Trans>Preview</Trans>
          </Button>
        </DialogFoot>
      </Stack>
    </form>
  )
}

type GroupProps = { onClose: () => void; onChoose: (groupId: string) => void }

export function ChooseGroup({ onClose, onChoose }: GroupProps) {
  const { t } = useLingui()
  const [chosen, setChosen] = useState<Group>()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen !== undefined) onChoose(chosen.group_id)
      }}
    >
      <Stack gap="md">
        <GroupPicker
          label={t`Group`}
          description={t`Members hold the role of the group in addition to their own.`}
          required
          hasAutofocus
          isInFlow
          chosen={chosen}
          onPick={setChosen}
        />
        <DialogFoot>
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" disabled={chosen === undefined}>
            <Trans>Preview</Trans>
          </Button>
        </DialogFoot>
      </Stack>
    </form>
  )
}

export function Planning({ state, onClose }: { state: BulkState; onClose: () => void }) {
  const { t } = useLingui()
  return (
    <>
      <p>
        <Trans>Preparing the preview. No changes yet.</Trans>
      </p>
      <Progress label={t`Preparing the preview`} state={state} />
      <DialogFoot>
        <Button variant="default" onClick={onClose} data-autofocus>
          <Trans>Cancel</Trans>
        </Button>
      </DialogFoot>
    </>
  )
}

type PlanProps = {
  plan: BulkResult
  action: BulkAction
  selection: Selection
  words: BulkWords
  /** What the change means. */
  note?: ReactNode
  /** The button that shows the API call. */
  call: ReactNode
  onClose: () => void
  onStart: () => void
  /** Plans it for managed users as well. Undefined: it does already. */
  onOverride: (() => void) | undefined
}

export function Plan({ plan, action, selection, words, note, call, onClose, onStart, onOverride }: PlanProps) {
  const { changed, unchanged, refused } = plan
  return (
    <Focused>
      <p className={styles.note}>
        <Trans>Preview: no changes yet.</Trans>
      </p>
      <Tiles words={words} changed={[words.would, changed]} unchanged={unchanged} refused={refused} />
      <Oneself action={action} selection={selection} />
      {action === 'delete' && changed > 0 && (
        <p className={styles.note}>
          <Trans>
            They are signed out at once and can be restored for some time. Accounts with the same names in the product’s
            database are not changed.
          </Trans>
        </p>
      )}
      {changed > 0 && note}
      {action === 'invite' && <Invitations plan={plan} />}
      <LeftOut count={plan.leftOut} />
      <Refusals result={plan} />
      <Managed plan={plan} words={words} onOverride={onOverride} />
      <DialogFoot aside={call}>
        <Button variant="default" onClick={onClose}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          {...(action === 'delete' && { color: 'red.9' })}
          disabled={changed === 0}
          onClick={onStart}
          data-primary
        >
          {words.button(changed)}
        </Button>
      </DialogFoot>
      {changed === 0 && (
        <p className={styles.note}>
          <Trans>There is nothing to change.</Trans>
        </p>
      )}
    </Focused>
  )
}

type ManagedProps = Pick<PlanProps, 'plan' | 'words' | 'onOverride'>

/** Offers to change managed users nevertheless, as their own pages do. */
function Managed({ plan, words, onOverride }: ManagedProps) {
  if (onOverride === undefined || !plan.refusals.some(({ code }) => code === 'managed_elsewhere')) return null
  return (
    <div className={styles.anyway}>
      <p className={styles.note}>
        <Trans>The next synchronization of the identity provider may undo it.</Trans>
      </p>
      <Button size="xs" variant="default" onClick={onOverride}>
        {words.anyway}
      </Button>
    </div>
  )
}

function Invitations({ plan: { changed, unchanged } }: Pick<PlanProps, 'plan'>) {
  return (
    <>
      {changed > 0 && (
        <p className={styles.note}>
          <Trans>
            Each user is emailed a link to choose a password. You can download the links that cannot be emailed
            afterwards.
          </Trans>
        </p>
      )}
      {unchanged > 0 && (
        <p className={styles.note}>
          <Trans>Users whose invitation still works are skipped. Invite them again on their own page.</Trans>
        </p>
      )}
    </>
  )
}

const concernsOneself: ReadonlySet<BulkAction> = new Set([
  'set_role',
  'remove_from_group',
  'end_sessions',
  'deactivate',
  'delete',
])

/** Warns before a change that would end the session of this page. */
function Oneself({ action, selection }: { action: BulkAction; selection: Selection }) {
  const me = useMe()
  const { data: isAmong = false } = useQuery({
    queryKey: ['users', 'oneself-among', selection],
    async queryFn({ signal }) {
      if ('user_ids' in selection) return selection.user_ids.includes(me.user_id)
      if (selection.except.includes(me.user_id)) return false
      const { users } = await api.users.page({ ...selection.filter, user_id: [me.user_id], limit: 1 }, { signal })
      return users.length > 0
    },
    staleTime: 0,
  })
  if (!isAmong || !concernsOneself.has(action)) return null
  return (
    <p className={styles.warning}>
      {action === 'set_role' || action === 'remove_from_group' ? (
        <Trans>This includes you. You may lose access to this page. Your account is changed last.</Trans>
      ) : action === 'end_sessions' ? (
        <Trans>This includes you. You will have to sign in again.</Trans>
      ) : (
        <Trans>This includes you. You will be signed out and cannot sign in again. Your account is changed last.</Trans>
      )}
    </p>
  )
}
