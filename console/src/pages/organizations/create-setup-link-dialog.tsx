import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { CreateOrganizationSetupLink, NewOrganizationSetupLink, Organization } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { setupLinksQuery } from '../../data/organizations.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { LanguageSelect } from '../../parts/user-details/language-select.tsx'
import { CopyLine } from '../../ui/copy.tsx'
import { localDay, untilDay } from '../../ui/days.ts'
import { Dialog, SavedFoot } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './organizations.module.css'
import { useSetupFeatures } from './setup-features.ts'

type Props = { organization: Organization; onClose: () => void }

const fields = ['features', 'expires_at', 'email', 'locale']
const usualDays = 7
const mostDays = 30

export default function CreateSetupLinkDialog({ organization: { organization_id, name }, onClose }: Props) {
  const { t } = useLingui()
  const { mine, labels } = useSetupFeatures()
  const [openedAt] = useState(() => new Date())
  const form = useForm({
    initialValues: { features: [...mine] as string[], day: dayIn(openedAt, usualDays), email: '', locale: '' },
  })
  const { submit, result, ...sending } = useSubmit(
    (body: CreateOrganizationSetupLink, idempotencyKey) =>
      api.organizations.createSetupLink(organization_id, body, { idempotencyKey }),
    { stale: [setupLinksQuery(organization_id).queryKey, ['audit']] },
  )
  const { faults } = fieldFaults(sending.error, fields)
  const { features, day, email, locale } = form.values
  const expires_at = day === '' ? undefined : untilDay(day)
  const body: CreateOrganizationSetupLink = {
    features: mine.filter((feature) => features.includes(feature)),
    ...(expires_at !== undefined && { expires_at }),
    ...(email.trim() !== '' && { email: email.trim() }),
    ...(locale !== '' && { locale }),
  }
  if (result !== undefined) return <NewLink link={result} organization={name} onClose={onClose} />
  return (
    <FormDialog
      title={t`Create a setup link for ${name}`}
      isDirty={form.isDirty()}
      sending={sending}
      fields={fields}
      refusal={t`The setup link was not created.`}
      calls={[{ operation: 'POST /organizations/{organization_id}/setup-links', path: { organization_id }, body }]}
      action={<Trans>Create setup link</Trans>}
      isDisabled={body.features.length === 0}
      onSubmit={form.onSubmit(() => submit(body))}
      onClose={onClose}
    >
      <Checkbox.Group
        label={t`What it is for`}
        description={t`You can hand over only what you may do yourself.`}
        error={faults.features}
        {...form.getInputProps('features')}
      >
        <Stack gap="xs" mt={6}>
          {mine.map((feature) => (
            <Checkbox key={feature} value={feature} label={labels[feature]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput
        type="date"
        label={t`Works until`}
        description={t`The end of this day, at most 30 days from now.`}
        required
        min={dayIn(openedAt, 0)}
        max={dayIn(openedAt, mostDays - 1)}
        {...form.getInputProps('day')}
        error={faults.expires_at}
      />
      <TextInput
        type="email"
        label={t`Send it by email`}
        description={t`Empty: you pass the link on yourself.`}
        autoComplete="off"
        spellCheck={false}
        dir="ltr"
        {...form.getInputProps('email')}
        error={faults.email}
      />
      <LanguageSelect label={t`Language`} current="" {...form.getInputProps('locale')} error={faults.locale} />
    </FormDialog>
  )
}

type NewLinkProps = { link: NewOrganizationSetupLink; organization: string; onClose: () => void }

/** The link is shown once. */
function NewLink({ link: { url = '', email, sent }, organization, onClose }: NewLinkProps) {
  const { t } = useLingui()
  return (
    <Dialog isOpen loses="secret" onClose={onClose} title={t`The setup link of ${organization}`} size="lg">
      <p className={styles.note}>
        {sent && email !== null ? (
          <Trans>
            A message with it is on its way to <bdi>{email}</bdi>. It is shown here only once.
          </Trans>
        ) : (
          <Trans>Pass it on to the customer’s IT administrator. It is shown only once.</Trans>
        )}
      </p>
      <CopyLine text={url} label={t`the setup link`} />
      <SavedFoot onClose={onClose} />
    </Dialog>
  )
}

function dayIn(from: Date, days: number): string {
  const day = new Date(from)
  day.setDate(day.getDate() + days)
  return localDay(day)
}
