import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Checkbox } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type ConfirmationOfOrganizationDeletion, type Organization, RollbookError } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { changedByOrganizations } from '../../data/organizations.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { Consequences } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { organization: Organization; onClose: () => void }

export default function DeleteOrganizationDialog({ organization, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { organization_id, name } = organization
  const [withUsers, setWithUsers] = useState(false)
  const lock = useFileLock(organization)
  const how = withUsers ? ({ users: 'delete' } as const) : {}
  // A refusal is shown before the button is pressed, and what would be deleted.
  const trial = useQuery({
    queryKey: ['organizations', 'one', organization_id, 'deletion', withUsers],
    queryFn: ({ signal }) =>
      api.organizations.delete(organization_id, { ...how, ...lock.howToTry, dryRun: true, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const { submit, ...sending } = useSubmit((id: string) => api.organizations.delete(id, { ...how, ...lock.how }), {
    onSuccess() {
      showToast({ message: t`The organization ${name} was deleted.` })
      void navigate({ to: '/organizations' }).then(() => {
        queries.removeQueries({ queryKey: ['organizations', 'one', organization_id] })
        for (const queryKey of changedByOrganizations) void queries.invalidateQueries({ queryKey })
      })
    },
  })
  const isNotEmpty = trial.error instanceof RollbookError && trial.error.code === 'organization_not_empty'
  return (
    <ConfirmDialog
      title={t`Delete the organization ${name}?`}
      sending={sending}
      refusal={t`The organization was not deleted.`}
      calls={[
        {
          operation: 'DELETE /organizations/{organization_id}',
          path: { organization_id },
          query: { ...how, ...lock.how },
        },
      ]}
      action={<Trans>Delete organization</Trans>}
      isDangerous
      isWaiting={trial.isPending}
      isDisabled={trial.isError || lock.isLocked}
      onConfirm={() => submit(organization_id)}
      onClose={onClose}
    >
      {lock.notice}
      {(isNotEmpty || withUsers) && (
        <Checkbox
          label={t`Delete its users too, and everything that belongs to it`}
          checked={withUsers}
          onChange={(event) => setWithUsers(event.currentTarget.checked)}
        />
      )}
      <Consequences>
        {withUsers && trial.data && <Belongings counts={trial.data} />}
        <li>
          <Trans>Its domains are free for other organizations.</Trans>
        </li>
        <li>
          {withUsers ? (
            <Trans>Its users can be restored, without an organization. Nothing else can.</Trans>
          ) : (
            <Trans>This cannot be undone.</Trans>
          )}
        </li>
      </Consequences>
      {trial.error && (
        <Problem
          error={trial.error}
          retry={() => void trial.refetch()}
          title={t`This organization cannot be deleted.`}
        />
      )}
    </ConfirmDialog>
  )
}

/** What is deleted with it, as the dry run counts it. */
function Belongings({ counts }: { counts: ConfirmationOfOrganizationDeletion }) {
  const { user_count = 0, group_count = 0, key_count = 0, connection_count = 0, guest_count = 0 } = counts
  return (
    <>
      <li>
        <Plural
          value={user_count}
          _0="It has no users."
          one="# user is deleted and signed out everywhere."
          other="# users are deleted and signed out everywhere."
        />
      </li>
      {group_count > 0 && (
        <li>
          <Plural value={group_count} one="# group is deleted." other="# groups are deleted." />
        </li>
      )}
      {key_count > 0 && (
        <li>
          <Plural value={key_count} one="# API key is revoked." other="# API keys are revoked." />
        </li>
      )}
      {connection_count > 0 && (
        <li>
          <Plural value={connection_count} one="# connection is deleted." other="# connections are deleted." />
        </li>
      )}
      {guest_count > 0 && (
        <li>
          <Plural
            value={guest_count}
            one="# user from elsewhere leaves its groups."
            other="# users from elsewhere leave its groups."
          />
        </li>
      )}
    </>
  )
}
