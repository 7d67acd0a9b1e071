/** The preview: what the change would do. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, NativeSelect, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { groupChoicesQuery } from '../../data/groups.ts'
import { DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
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
  const { data: groups, error, refetch } = useQuery(groupChoicesQuery)
  const [chosen, setChosen] = useState('')
  if (error) return <Problem error={error} retry={() => void refetch()} title={t`The groups could not be read.`} />
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(chosen)
      }}
    >
      <Stack gap="md">
        <NativeSelect
          label={t`Group`}
          description={t`Members hold the role of the group in addition to their own.`}
          required
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data-autofocus
        >
          <option value="" disabled>
            {groups?.length === 0 ? t`There are no groups yet` : t`Choose a group`}
          </option>
          {groups?.map(({ group_id, name, role }) => (
            <option key={group_id} value={group_id}>
              {role === null ? name : t`${name} (role ${role})`}
            </option>
          ))}
        </NativeSelect>
        <DialogFoot>
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" disabled={chosen === ''}>
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
}

export function Plan({ plan, action, selection, words, note, call, onClose, onStart }: PlanProps) {
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
