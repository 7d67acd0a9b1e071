/** Moves a user to another organization. A dry run lists first what the user loses. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { UpdatedUser, User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { changedByOrganizations } from '../../../data/organizations.ts'
import { userKey } from '../../../data/users.ts'
import { FormDialog } from '../../../layout/form-dialog.tsx'
import { OrganizationField } from '../../../parts/organizations/organization-field.tsx'
import { Consequences } from '../../../ui/dialog.tsx'
import { fieldFaults } from '../../../ui/field-faults.ts'
import { Problem } from '../../../ui/problem.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

type Props = { user: User; onClose: () => void }

const fields = ['organization_id']

export default function MoveDialog({ user, onClose }: Props) {
  const { t } = useLingui()
  const { user_id, username, organization_id = '' } = user
  const [id, setId] = useState(organization_id)
  const isChanged = id !== organization_id
  const patch = { organization_id: id === '' ? null : id }
  const trial = useQuery({
    queryKey: [...userKey(user_id), 'move', id],
    queryFn: ({ signal }) => api.users.update(user_id, () => patch, { dryRun: true, signal }),
    enabled: isChanged,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const { submit, ...sending } = useSubmit(() => api.users.update(user_id, () => patch), {
    stale: changedByOrganizations,
    onSuccess() {
      showToast({ message: t`${username} has moved.` })
      onClose()
    },
  })
  const { faults } = fieldFaults(sending.error, fields)
  return (
    <FormDialog
      title={t`Change the organization of ${username}`}
      isDirty={isChanged}
      sending={sending}
      fields={fields}
      refusal={t`The user was not moved.`}
      calls={[{ operation: 'PATCH /users/{user_id}', path: { user_id }, body: patch }]}
      action={<Trans>Move user</Trans>}
      isDisabled={!isChanged || !trial.isSuccess}
      onSubmit={() => submit(patch)}
      onClose={onClose}
    >
      <OrganizationField
        permission="users:write"
        value={id}
        onChange={setId}
        description={t`Empty: the user belongs to none.`}
        error={faults.organization_id}
      />
      {isChanged && trial.isPending && <Skeleton height={72} aria-busy="true" />}
      {isChanged && trial.error && <Problem error={trial.error} title={t`The user cannot be moved.`} />}
      {isChanged && trial.data && <Losses move={(trial.data as UpdatedUser).move} />}
    </FormDialog>
  )
}

/** What the move removes, as the dry run says. */
function Losses({ move }: Pick<UpdatedUser, 'move'>) {
  const { i18n } = useLingui()
  const { sessions = 0, groups = [], identities = [] } = move ?? {}
  const list = (names: readonly string[]) => new Intl.ListFormat(i18n.locale).format(names)
  return (
    <Consequences>
      <li>
        <Plural
          value={sessions}
          _0="The user is not signed in anywhere now."
          one="The user is signed out: # session ends."
          other="The user is signed out: # sessions end."
        />
      </li>
      {groups.length > 0 && (
        <li>
          <Trans>
            The user leaves these groups: <bdi>{list(groups.map(({ name }) => name))}</bdi>
          </Trans>
        </li>
      )}
      {identities.length > 0 && (
        <li>
          <Trans>
            The account is no longer linked with:{' '}
            <bdi>{list(identities.map(({ connection_name }) => connection_name))}</bdi>
          </Trans>
        </li>
      )}
      {groups.length === 0 && identities.length === 0 && (
        <li>
          <Trans>No groups and no linked accounts are lost.</Trans>
        </li>
      )}
    </Consequences>
  )
}
