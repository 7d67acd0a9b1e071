import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { AddOrganizationDomain, Organization } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useCanEverywhere } from '../../api/me.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { organization: Organization; onClose: () => void }

const fields = ['domain', 'verified']

export default function AddDomainDialog({ organization, onClose }: Props) {
  const { organization_id, name } = organization
  const lock = useFileLock(organization)
  const { t } = useLingui()
  const mayVouch = useCanEverywhere('organizations:write')
  const form = useForm({ initialValues: { domain: '', verified: false } })
  const { submit, ...sending } = useSubmit(
    (body: AddOrganizationDomain, idempotencyKey) =>
      api.organizations.addDomain(organization_id, body, { idempotencyKey, ...lock.how }),
    {
      stale: [['organizations'], ['audit']],
      onSuccess({ domain, verified_at }) {
        showToast({
          message:
            verified_at === null
              ? t`${domain} was added. Publish its record, then verify it.`
              : t`${domain} was added.`,
        })
        onClose()
      },
    },
  )
  const { faults } = fieldFaults(sending.error, fields)
  const { domain, verified } = form.values
  const body = { domain: domain.trim(), ...(verified && { verified }) }
  return (
    <FormDialog
      title={t`Add a domain of ${name}`}
      isDirty={form.isDirty()}
      sending={sending}
      fields={fields}
      refusal={t`The domain was not added.`}
      calls={[
        {
          operation: 'POST /organizations/{organization_id}/domains',
          path: { organization_id },
          query: lock.how,
          body,
        },
      ]}
      action={<Trans>Add domain</Trans>}
      onSubmit={form.onSubmit(() => submit(body))}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      <TextInput
        label={t`Domain`}
        description={t`What its email addresses have after the @. Subdomains are domains of their own.`}
        placeholder="acme.example"
        dir="ltr"
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('domain')}
        error={faults.domain}
      />
      {mayVouch && (
        <Checkbox
          label={t`I vouch that the domain belongs to it`}
          description={t`It counts as verified at once, without a DNS record.`}
          {...form.getInputProps('verified', { type: 'checkbox' })}
        />
      )}
    </FormDialog>
  )
}
