import { Trans, useLingui } from '@lingui/react/macro'
import type { OrganizationDomain } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { Consequences } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { organizationId: string; domain: OrganizationDomain; onClose: () => void }

export default function RemoveDomainDialog({ organizationId: organization_id, domain, onClose }: Props) {
  const { t } = useLingui()
  const { domain: name, verified_at } = domain
  const { submit, ...sending } = useSubmit((one: string) => api.organizations.removeDomain(organization_id, one), {
    stale: [['organizations'], ['audit']],
    onSuccess() {
      showToast({ message: t`${name} was removed.` })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t`Remove ${name}?`}
      sending={sending}
      refusal={t`The domain was not removed.`}
      calls={[
        {
          operation: 'DELETE /organizations/{organization_id}/domains/{domain}',
          path: { organization_id, domain: name },
        },
      ]}
      action={<Trans>Remove domain</Trans>}
      isDangerous
      onConfirm={() => submit(name)}
      onClose={onClose}
    >
      <Consequences>
        {verified_at === null ? (
          <li>
            <Trans>Its record is worth nothing any more. A domain that is added again gets another one.</Trans>
          </li>
        ) : (
          <li>
            <Trans>Another organization can prove it. Users with addresses there stay.</Trans>
          </li>
        )}
      </Consequences>
    </ConfirmDialog>
  )
}
