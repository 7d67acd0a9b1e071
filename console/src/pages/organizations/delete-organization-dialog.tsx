import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Organization } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { changedByOrganizations } from '../../data/organizations.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
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
  // A refusal is shown before the button is pressed.
  const trial = useQuery({
    queryKey: ['organizations', 'one', organization_id, 'deletion'],
    queryFn: ({ signal }) => api.organizations.delete(organization_id, { dryRun: true, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const { submit, ...sending } = useSubmit((id: string) => api.organizations.delete(id), {
    onSuccess() {
      showToast({ message: t`The organization ${name} was deleted.` })
      void navigate({ to: '/organizations' }).then(() => {
        queries.removeQueries({ queryKey: ['organizations', 'one', organization_id] })
        for (const queryKey of changedByOrganizations) void queries.invalidateQueries({ queryKey })
      })
    },
  })
  return (
    <ConfirmDialog
      title={t`Delete the organization ${name}?`}
      sending={sending}
      refusal={t`The organization was not deleted.`}
      calls={[{ operation: 'DELETE /organizations/{organization_id}', path: { organization_id } }]}
      action={<Trans>Delete organization</Trans>}
      isDangerous
      isWaiting={trial.isPending}
      isDisabled={trial.isError}
      onConfirm={() => submit(organization_id)}
      onClose={onClose}
    >
      <Consequences>
        <li>
          <Trans>Its domains are free for other organizations.</Trans>
        </li>
        <li>
          <Trans>This cannot be undone.</Trans>
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
