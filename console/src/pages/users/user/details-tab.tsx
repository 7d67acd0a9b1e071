import { Trans, useLingui } from '@lingui/react/macro'
import { Stack, Switch, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { useCan, useMe } from '../../../api/me.ts'
import { textMembers } from '../../../api/text-members.ts'
import { userKey } from '../../../data/users.ts'
import { ManagedNotice } from '../../../parts/user-actions/managed-notice.tsx'
import { detailsOf } from '../../../parts/user-details/changes.ts'
import { DetailsForm } from '../../../parts/user-details/details-form.tsx'
import { LanguageSelect, useLanguageText } from '../../../parts/user-details/language-select.tsx'
import { RoleSelect } from '../../../parts/user-details/role-select.tsx'
import { useDetailsForm } from '../../../parts/user-details/use-details-form.ts'
import styles from '../../../parts/user-details/user.module.css'
import { useMemberLabels } from '../../../parts/user-details/words.ts'
import { CopyButton } from '../../../ui/copy.tsx'
import { Fact } from '../../../ui/facts.tsx'
import { Section } from '../../../ui/section.tsx'
import { Instant } from '../../../ui/time.tsx'
import { Active, Role } from '../../../ui/user-state.tsx'
import { AttributesForm } from './attributes-form.tsx'
import { EndDateSection } from './end-date-section.tsx'
import { OrganizationSection } from './organization-section.tsx'
import { OwnAccountLink } from './own-account-link.tsx'

type Props = { user: User; onDirty: (isDirty: boolean) => void }

export function DetailsTab({ user, onDirty }: Props) {
  const dirty = useRef({ details: false, attributes: false })
  const report = (part: keyof typeof dirty.current) => (isDirty: boolean) => {
    dirty.current[part] = isDirty
    onDirty(dirty.current.details || dirty.current.attributes)
  }
  const [override, setOverride] = useState(false)
  return (
    <div className={styles.columns}>
      <Stack gap="lg">
        <Details user={user} onDirty={report('details')} override={override} onOverride={setOverride} />
        <AttributesForm user={user} onDirty={report('attributes')} override={override} />
        <EndDateSection user={user} />
        <OrganizationSection user={user} />
      </Stack>
      <About user={user} />
    </div>
  )
}

type Labels = ReturnType<typeof useMemberLabels>
type Form = ReturnType<typeof useDetailsForm>['form']

type DetailsProps = Props & { override: boolean; onOverride: (override: boolean) => void }

function Details({ user, onDirty, override, onOverride }: DetailsProps) {
  const { t } = useLingui()
  const labels = useMemberLabels()
  const mayWrite = useCan('users:write', user)
  const { user_id, managed_by } = user
  const isMe = useMe().user_id === user_id
  const isManaged = managed_by !== undefined && !override
  const details = useDetailsForm({
    version: user,
    valuesOf: detailsOf,
    extra: {},
    read: () => api.users.get(user_id),
    save: (patch, _, etag) => api.users.update(user_id, patch, { ifMatch: etag, ...(override && { override }) }),
    queryKey: userKey(user_id),
    onDirty,
  })
  const { form, patch, etag } = details
  const isReadOnly = (name: keyof Labels) =>
    !mayWrite || (isManaged && name !== 'role' && name !== 'locale') || (name === 'email' && isMe)
  const members = (Object.keys(labels) as (keyof Labels)[]).filter(
    (name) => name !== 'locale' || user.kind !== 'service',
  )
  return (
    <Section title={t`Details`}>
      {managed_by !== undefined && (
        <ManagedNotice connectionId={managed_by} mayWrite={mayWrite} isOverridden={override} onOverride={onOverride} />
      )}
      <DetailsForm
        details={details}
        labels={labels}
        readOnly={members.filter(isReadOnly).map((name) => (
          <Fact key={name} name={labels[name]} note={name === 'email' && isMe && <OwnAccountLink />}>
            <MemberText user={details.base} member={name} />
          </Fact>
        ))}
        onSubmit={form.onSubmit(details.save)}
        calls={[
          { operation: 'GET /users/{user_id}', path: { user_id } },
          {
            operation: 'PATCH /users/{user_id}',
            path: { user_id },
            ...(override && { query: { override } }),
            body: patch,
            ...(etag !== undefined && { ifMatch: etag }),
          },
        ]}
      >
        {mayWrite ? (
          <DetailsInputs
            user={details.base}
            form={form}
            labels={labels}
            members={members.filter((name) => !isReadOnly(name))}
          />
        ) : undefined}
      </DetailsForm>
    </Section>
  )
}

type InputsProps = {
  user: User
  form: Form
  labels: Labels
  /** The members that the viewer can change. */
  members: readonly (keyof Labels)[]
}

function DetailsInputs({ user, form, labels, members }: InputsProps) {
  const { t } = useLingui()
  const { role, locale = '' } = user
  return (
    <>
      {members.includes('username') && (
        <TextInput
          className={styles.wide ?? ''}
          label={labels.username}
          required
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
        />
      )}
      {textMembers
        .filter((name) => members.includes(name))
        .map((name) => (
          <TextInput key={name} label={labels[name]} autoComplete="off" {...form.getInputProps(name)} />
        ))}
      {members.includes('email') && (
        <TextInput
          label={labels.email}
          type="email"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('email')}
        />
      )}
      <RoleSelect label={labels.role} current={role} {...form.getInputProps('role')} />
      {members.includes('locale') && (
        <LanguageSelect
          className={styles.wide ?? ''}
          label={labels.locale}
          current={locale}
          {...form.getInputProps('locale')}
        />
      )}
      {members.includes('external_id') && (
        <TextInput
          className={styles.wide ?? ''}
          label={labels.external_id}
          description={t`The product’s own ID for the user, if there is one.`}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('external_id')}
        />
      )}
      {members.includes('active') && (
        <ActiveSwitch isService={user.kind === 'service'} label={labels.active} form={form} />
      )}
    </>
  )
}

/** A member that the viewer cannot change here. */
function MemberText({ user, member }: { user: User; member: keyof Labels }) {
  const { t } = useLingui()
  const languageText = useLanguageText()
  if (member === 'active') return <Active active={user.active} />
  if (member === 'role') return <Role role={user.role} />
  if (member === 'locale') return languageText(user.locale ?? '')
  const text = user[member] ?? ''
  return text === '' ? t`Not set` : <bdi>{text}</bdi>
}

type ActiveProps = { isService: boolean; label: string; form: Form }

function ActiveSwitch({ isService, label, form }: ActiveProps) {
  const { t } = useLingui()
  return (
    <Switch
      className={styles.wide ?? ''}
      label={label}
      description={
        isService
          ? t`When switched off, its keys are refused at once.`
          : t`When switched off, the user cannot sign in and is signed out everywhere at once.`
      }
      {...form.getInputProps('active', { type: 'checkbox' })}
    />
  )
}

function About({ user }: { user: User }) {
  const { t } = useLingui()
  return (
    <Section title={t`About`}>
      <dl className={styles.facts}>
        {user.kind !== 'service' && (
          <>
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
          </>
        )}
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
