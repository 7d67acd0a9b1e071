import { useLingui } from '@lingui/react/macro'
import { PasswordInput, TextInput } from '@mantine/core'
import type { Me } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { meQuery } from '../../api/me.ts'
import { tellPasswordManager } from '../../parts/factors/tell-password-manager.ts'
import { DetailsForm } from '../../parts/user-details/details-form.tsx'
import { LanguageSelect } from '../../parts/user-details/language-select.tsx'
import { useDetailsForm } from '../../parts/user-details/use-details-form.ts'
import { useMemberLabels } from '../../parts/user-details/words.ts'
import { Fact } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'

type Own = { first_name: string; last_name: string; email: string; locale: string }
type Props = { me: Me; onDirty: (isDirty: boolean) => void }

export function OwnDetails({ me, onDirty }: Props) {
  const { t } = useLingui()
  const labels = useMemberLabels()
  const details = useDetailsForm({
    version: me,
    valuesOf: ownOf,
    extra: { current_password: '' },
    read: () => api.me.get(),
    async save(patch, { current_password }, etag) {
      const saved = await api.me.update({ ...patch, ...('email' in patch && { current_password }) }, { ifMatch: etag })
      // Password managers show the account's name beside its passkeys.
      void tellPasswordManager()
      return saved
    },
    queryKey: meQuery.queryKey,
    onDirty,
  })
  const { form, patch } = details
  const isManaged = me.managed_by !== undefined
  const managed = isManaged ? (['first_name', 'last_name', 'email'] as const) : []
  const needsPassword = 'email' in patch
  const { pending_email } = me
  return (
    <Section
      title={t`Name and email`}
      description={isManaged ? t`Your company manages your name and email. To change them, ask there.` : undefined}
    >
      <DetailsForm
        details={details}
        labels={labels}
        readOnly={managed.map((name) => (
          <Fact key={name} name={labels[name]}>
            {form.values[name] === '' ? t`Not set` : <bdi>{form.values[name]}</bdi>}
          </Fact>
        ))}
        onSubmit={form.onSubmit(({ current_password }) => {
          if (needsPassword && current_password === '')
            form.setFieldError('current_password', t`To change your email address, enter your current password.`)
          else details.save()
        })}
        calls={[
          { operation: 'GET /me' },
          { operation: 'PATCH /me', body: { ...patch, ...(needsPassword && { current_password: '…' }) } },
        ]}
      >
        {!isManaged && (
          <>
            <TextInput label={labels.first_name} autoComplete="given-name" {...form.getInputProps('first_name')} />
            <TextInput label={labels.last_name} autoComplete="family-name" {...form.getInputProps('last_name')} />
            <TextInput
              label={labels.email}
              description={
                pending_email &&
                t`To change it to ${pending_email}, open the link in the message to that address. If no message arrives, another account may have the address.`
              }
              type="email"
              autoComplete="email"
              spellCheck={false}
              {...form.getInputProps('email')}
            />
          </>
        )}
        <LanguageSelect label={labels.locale} current={me.locale ?? ''} {...form.getInputProps('locale')} />
        {needsPassword && (
          <PasswordInput
            label={t`Your current password`}
            autoComplete="current-password"
            dir="ltr"
            visibilityToggleFocusable
            visibilityToggleButtonProps={{ 'aria-label': t`Show or hide the password` }}
            {...form.getInputProps('current_password')}
            aria-invalid={'current_password' in form.errors || undefined}
          />
        )}
      </DetailsForm>
    </Section>
  )
}

function ownOf({ first_name, last_name, email, locale }: Pick<Me, keyof Own>): Own {
  return { first_name, last_name, email: email ?? '', locale: locale ?? '' }
}
