import { Trans, useLingui } from '@lingui/react/macro'
import type { OrganizationSetupLink } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { setupLinksQuery } from '../../data/organizations.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { Consequences } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { link: OrganizationSetupLink; onClose: () => void }

export default function RevokeSetupLinkDialog({ link: { organization_id, setup_link_id }, onClose }: Props) {
  const { t } = useLingui()
  const { submit, ...sending } = useSubmit((id: string) => api.organizations.revokeSetupLink(organization_id, id), {
    stale: [setupLinksQuery(organization_id).queryKey, ['audit']],
    onSuccess() {
      showToast({ message: t`The setup link is revoked.` })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t`Revoke the setup link?`}
      sending={sending}
      refusal={t`The setup link was not revoked.`}
      calls={[
        {
          operation: 'DELETE /organizations/{organization_id}/setup-links/{setup_link_id}',
          path: { organization_id, setup_link_id },
        },
      ]}
      action={<Trans>Revoke link</Trans>}
      isDangerous
      onConfirm={() => submit(setup_link_id)}
      onClose={onClose}
    >
      <Consequences>
        <li>
          <Trans>Its pages stop working at once. What was set up with it stays.</Trans>
        </li>
      </Consequences>
    </ConfirmDialog>
  )
}
