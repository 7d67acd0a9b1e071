import { Trans, useLingui } from '@lingui/react/macro'
import { type Branding, etagOf, type Organization } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { organizationBrandingQuery } from '../../data/branding.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { Consequences } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { organization: Organization; branding: Branding; onClose: () => void }

export default function ResetBrandingDialog({ organization, branding, onClose }: Props) {
  const { organization_id, name } = organization
  const { t } = useLingui()
  const { submit, ...sending } = useSubmit(
    (id: string) => {
      const ifMatch = etagOf(branding)
      return api.organizations.deleteBranding(id, ifMatch === undefined ? {} : { ifMatch })
    },
    {
      stale: [organizationBrandingQuery(organization_id).queryKey, ['audit']],
      onSuccess() {
        showToast({ message: t`${name} looks like the product.` })
        onClose()
      },
    },
  )
  return (
    <ConfirmDialog
      title={t`Use the product’s look for ${name}?`}
      sending={sending}
      refusal={t`The branding was not changed.`}
      calls={[{ operation: 'DELETE /organizations/{organization_id}/branding', path: { organization_id } }]}
      action={<Trans>Use the product’s look</Trans>}
      isDangerous
      onConfirm={() => submit(organization_id)}
      onClose={onClose}
    >
      <Consequences>
        <li>
          <Trans>
            Its logos, name, colour and links are deleted. Pages and messages look like the product at once.
          </Trans>
        </li>
      </Consequences>
    </ConfirmDialog>
  )
}
