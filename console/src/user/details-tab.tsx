import { Trans, useLingui } from '@lingui/react/macro'
import { Switch, TextInput } from '@mantine/core'
import type { User } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useCan } from '../api/me.ts'
import { textMembers } from '../api/text-members.ts'
import { CopyButton } from '../ui/copy.tsx'
import { Section } from '../ui/section.tsx'
import { Instant } from '../ui/time.tsx'
import { detailsOf } from './changes.ts'
import { DetailsForm } from './details-form.tsx'
import { userKey } from './queries.ts'
import { RoleSelect } from './role-select.tsx'
import { useDetailsForm } from './use-details-form.ts'
import styles from './user.module.css'
import { useMemberLabels } from './words.ts'

type Props = { user: User; onDirty: (isDirty: boolean) => void }

export function DetailsTab({ user, onDirty }: Props) {
  const { t } = useLingui()
  const labels = useMemberLabels()
  const mayWrite = useCan('users:write')
  const { user_id } = user
  const details = useDetailsForm({
    version: user,
    valuesOf: detailsOf,
    extra: {},
    read: () => api.users.get(user_id),
    save: (patch, _, etag) => api.users.update(user_id, patch, { ifMatch: etag }),
    queryKey: userKey(user_id),
    onDirty,
  })
  const {
    form,
    base: { role },
    patch,
    etag,
  } = details
  return (
    <div className={styles.columns}>
      <Section
        title={t`Details`}
        description={mayWrite ? undefined : t`You can view users but not change them: that needs users:write.`}
      >
        <DetailsForm
          details={details}
          labels={labels}
          mayWrite={mayWrite}
          onSubmit={form.onSubmit(details.save)}
          calls={[
            { operation: 'GET /users/{user_id}', path: { user_id } },
            {
              operation: 'PATCH /users/{user_id}',
              path: { user_id },
              body: patch,
              ...(etag !== undefined && { ifMatch: etag }),
            },
          ]}
        >
          <TextInput
            className={styles.wide ?? ''}
            label={labels.username}
            required
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps('username')}
          />
          {textMembers.map((name) => (
            <TextInput key={name} label={labels[name]} autoComplete="off" {...form.getInputProps(name)} />
          ))}
          <TextInput
            label={labels.email}
            type="email"
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('email')}
          />
          <RoleSelect label={labels.role} current={role} {...form.getInputProps('role')} />
          <TextInput
            className={styles.wide ?? ''}
            label={labels.external_id}
            description={t`The product’s own ID for the user, if there is one.`}
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('external_id')}
          />
          <Switch
            className={styles.wide ?? ''}
            label={labels.active}
            description={t`When switched off, the user cannot sign in and is signed out everywhere at once.`}
            {...form.getInputProps('active', { type: 'checkbox' })}
          />
        </DetailsForm>
      </Section>
      <Facts user={user} />
    </div>
  )
}

function Facts({ user }: { user: User }) {
  const { t } = useLingui()
  return (
    <Section title={t`About`}>
      <dl className={styles.facts}>
        <div>
          <dt>
            <Trans>Last sign-in</Trans>
          </dt>
          <dd>
            <Instant value={user.last_login_at} never={t`Never`} />
          </dd>
        </div>
        <div>
          <dt>
            <Trans>Password</Trans>
          </dt>
          <dd>{user.has_password ? <Trans>Set</Trans> : <Trans>None: cannot sign in</Trans>}</dd>
        </div>
        <div>
          <dt>
            <Trans>Created</Trans>
          </dt>
          <dd>
            <Instant value={user.created_at} style="full" />
          </dd>
        </div>
        <div>
          <dt>
            <Trans>Last changed</Trans>
          </dt>
          <dd>
            <Instant value={user.updated_at} style="full" />
          </dd>
        </div>
        <div>
          <dt>
            <Trans>User ID</Trans>
          </dt>
          <dd className={styles.id}>
            <code dir="ltr">{user.user_id}</code>
            <CopyButton text={user.user_id} label={t`the user ID`} />
          </dd>
        </div>
      </dl>
    </Section>
  )
}
