import { Trans, useLingui } from '@lingui/react/macro'
import type { Organization, OrganizationDomain } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { Consequences } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { organization: Organization; domain: OrganizationDomain; onClose: () => void }

export default function RemoveDomainDialog({ organization, domain, onClose }: Props) {
  const { organization_id } = organization
  const lock = useFileLock(organization)
  const { t } = useLingui()
  const { domain: name, verified_at } = domain
  const { submit, ...sending } = useSubmit(
    (one: string) => api.organizations.removeDomain(organization_id, one, lock.how),
    {
      stale: [['organizations'], ['audit']],
      onSuccess() {
        showToast({ message: t`${name} was removed.` })
        onClose()
      },
    },
  )
  return (
    <ConfirmDialog
      title={t`Remove ${name}?`}
      sending={sending}
      refusal={t`The domain was not removed.`}
      calls={[
        {
          operation: 'DELETE /organizations/{organization_id}/domains/{domain}',
          path: { organization_id, domain: name },
          query: lock.how,
        },
      ]}
      action={<Trans>Remove domain</Trans>}
      isDangerous
      isDisabled={lock.isLocked}
      onConfirm={() => submit(name)}
      onClose={onClose}
    >
      {lock.notice}
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
