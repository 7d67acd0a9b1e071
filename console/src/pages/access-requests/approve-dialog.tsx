import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { AccessRequest, DecideAccessRequest, DecidedAccessRequest, Group } from 'rollbook/client'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { endOfDay } from '../../parts/end-date/end-date.ts'
import { EndDateField } from '../../parts/end-date/end-date-field.tsx'
import { RoleSelect } from '../../parts/user-details/role-select.tsx'
import { GroupsField } from '../../parts/user-finder/groups-field.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { Dialog, SavedFoot } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import styles from './access-requests.module.css'
import { People, Refusals } from './decision-result.tsx'
import { type Outcome, useDecisions } from './use-decisions.ts'
import { personOf } from './words.ts'

type Props = { requests: readonly AccessRequest[]; onClose: () => void; onDone: () => void }

const defaultRole = 'user'

export default function ApproveDialog({ requests, onClose, onDone }: Props) {
  const { t } = useLingui()
  const [role, setRole] = useState(defaultRole)
  const [groups, setGroups] = useState<readonly Group[]>([])
  const [username, setUsername] = useState('')
  const [endDay, setEndDay] = useState('')
  const [links, setLinks] = useState<readonly DecidedAccessRequest[]>([])
  const { submit, outcome, ...sending } = useDecisions(requests, complete)
  const [first] = requests
  const isOne = requests.length === 1
  const name = first && personOf(first)
  const body: DecideAccessRequest = {
    decision: 'approve',
    role,
    ...(groups.length > 0 && { groups: groups.map(({ group_id }) => group_id) }),
    ...(isOne && username.trim() !== '' && { username: username.trim() }),
    ...(endDay !== '' && { access_expires_at: endOfDay(endDay) }),
  }

  function complete({ decided, refused }: Outcome) {
    onDone()
    if (refused.length > 0) return
    const unsent = decided.filter(({ invitation }) => invitation?.url !== undefined)
    if (unsent.length > 0) return setLinks(unsent)
    showToast({ message: <Plural value={decided.length} one="# user was created." other="# users were created." /> })
    onClose()
  }

  if (links.length > 0) return <Links decided={links} onClose={onClose} />
  return (
    <FormDialog
      title={isOne ? t`Approve ${name}` : t`Approve the selected requests`}
      isDirty={role !== defaultRole || groups.length > 0 || username !== '' || endDay !== ''}
      sending={sending}
      refusal={t`Nothing was decided.`}
      problem={outcome.refused.length > 0 ? <Refusals outcome={outcome} /> : undefined}
      calls={requests.slice(0, 1).map(({ request_id }) => ({
        operation: 'POST /access-requests/{request_id}/decision' as const,
        path: { request_id },
        body,
      }))}
      action={isOne ? <Trans>Create user</Trans> : <Trans>Create users</Trans>}
      noValidate
      onSubmit={() => submit(body)}
      onClose={onClose}
    >
      <People requests={requests} />
      <p className={styles.note}>
        <Trans>
          Each becomes a user and gets a message with an invitation, or with the company that signs them in.
        </Trans>
      </p>
      <RoleSelect
        current={defaultRole}
        data-autofocus
        value={role}
        onChange={({ currentTarget: { value } }) => setRole(value)}
      />
      <GroupsField picked={groups} onChange={setGroups} />
      {isOne && (
        <TextInput
          label={t`Username`}
          placeholder={first?.email ?? ''}
          description={t`By default it is the address.`}
          autoComplete="off"
          spellCheck={false}
          value={username}
          onChange={({ currentTarget: { value } }) => setUsername(value)}
        />
      )}
      <EndDateField day={endDay} onChange={setEndDay} />
    </FormDialog>
  )
}

/** For users whom no message reaches. */
function Links({ decided, onClose }: { decided: readonly DecidedAccessRequest[]; onClose: () => void }) {
  const { t } = useLingui()
  return (
    <Dialog isOpen loses="secret" onClose={onClose} title={t`Invitation links`} size="lg">
      <p className={styles.note}>
        <Trans>No message could be sent. Pass on each link yourself; it is shown only here.</Trans>
      </p>
      {decided.map(({ request_id, email, invitation }) => (
        <div key={request_id}>
          <bdi>{email}</bdi>
          <CopyLine text={invitation?.url ?? ''} label={t`the invitation link`} />
        </div>
      ))}
      <SavedFoot onClose={onClose} />
    </Dialog>
  )
}
