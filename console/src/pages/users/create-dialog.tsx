import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Checkbox, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Link } from '@tanstack/react-router'
import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import type { Attribute, CreatedUser, CreateUser } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { useAttributes } from '../../data/attributes.ts'
import { AttributeField } from '../../parts/attributes/attribute-field.tsx'
import { fieldOf, type Texts, valuesOf } from '../../parts/attributes/values.ts'
import { DatabaseAccount } from '../../parts/database-account/database-account.tsx'
import { NewPasswordInput } from '../../parts/user-actions/new-password-input.tsx'
import { RoleSelect } from '../../parts/user-details/role-select.tsx'
import { useFieldFaults } from '../../parts/user-details/use-field-faults.ts'
import { CopyLine } from '../../ui/copy.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Instant } from '../../ui/time.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './create-dialog.module.css'

type Props = { isOpen: boolean; onClose: () => void }

const empty = { username: '', first_name: '', last_name: '', email: '', role: 'user', password: '', external_id: '' }
const fields = Object.keys(empty)

/** Creates a user, then shows the password once and leads to the user. */
export default function CreateDialog({ isOpen, onClose }: Props) {
  const { t } = useLingui()
  const [created, setCreated] = useState<{ user: CreatedUser; password: string } | undefined>()
  const form = useForm({ initialValues: empty })
  const definitions = (useAttributes() ?? []).filter(({ editable_by }) => editable_by !== 'nobody')
  const [texts, setTexts] = useState<Texts>({})
  const [isService, setIsService] = useState(false)
  const [invite, setInvite] = useState(false)
  const attributeFields = definitions.map(({ name }) => fieldOf(name))
  const { submit, isPending, error, reset } = useSubmit(
    (body: CreateUser, idempotencyKey) => api.users.create(body, { idempotencyKey }),
    {
      stale: [['users'], ['statistics']],
      onSuccess(user, { password = '' }) {
        setCreated({ user, password })
        clear()
      },
    },
  )
  const hasMore = useFieldFaults(form, error, [...fields, ...attributeFields])
  const mayLose = created === undefined && (form.isDirty() || Object.values(texts).some(Boolean))

  const attributes = valuesOf(definitions, Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')))
  const optional = ['external_id', ...definitions.flatMap(({ name, required }) => (required ? [] : [fieldOf(name)]))]
  const fieldsFor = (some: readonly Attribute[]) =>
    some.map((attribute) => {
      const field = fieldOf(attribute.name)
      const onChange = (event: ChangeEvent<HTMLInputElement>) => {
        setTexts({ ...texts, [field]: event.currentTarget.value })
        form.clearFieldError(field)
      }
      const input = { value: texts[field] ?? '', onChange, error: form.errors[field], 'data-path': field }
      return <AttributeField key={field} attribute={attribute} input={input} />
    })

  function clear() {
    form.reset()
    setTexts({})
    setIsService(false)
    setInvite(false)
  }
  function again() {
    setCreated(undefined)
    reset()
  }
  function another() {
    again()
    requestAnimationFrame(() => form.getInputNode('username')?.focus())
  }
  function close() {
    onClose()
    clear()
    again()
  }
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      size="lg"
      title={created === undefined ? t`Create user` : t`The user was created`}
      loses={mayLose ? 'input' : undefined}
    >
      {created !== undefined ? (
        <Created user={created.user} password={created.password} onAgain={another} onClose={close} />
      ) : (
        <form
          noValidate
          onSubmit={form.onSubmit((values) => {
            if (values.username !== '') return submit(bodyOf(values, attributes, { invite, isService }))
            form.setFieldError('username', t`A user needs a username.`)
            form.getInputNode('username')?.focus()
          })}
        >
          <Stack gap="md">
            <SegmentedControl
              aria-label={t`Kind`}
              data={[
                { value: 'person', label: t`Person` },
                { value: 'service', label: t`Service account` },
              ]}
              value={isService ? 'service' : 'person'}
              onChange={(kind) => {
                setIsService(kind === 'service')
                setInvite(false)
                form.setFieldValue('password', '')
              }}
            />
            {isService && (
              <p className={styles.note}>
                <Trans>A program that acts as a user: it has no password, cannot sign in, and acts with keys.</Trans>
              </p>
            )}
            <TextInput
              label={t`Username`}
              description={
                isService
                  ? t`The name of the program. No spaces; it is not case-sensitive.`
                  : t`What the user signs in with. No spaces; it is not case-sensitive.`
              }
              required
              data-autofocus
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              {...form.getInputProps('username')}
            />
            <div className={styles.pair}>
              <TextInput label={t`First name`} autoComplete="off" {...form.getInputProps('first_name')} />
              <TextInput label={t`Last name`} autoComplete="off" {...form.getInputProps('last_name')} />
            </div>
            <div className={styles.pair}>
              <TextInput
                label={t`Email`}
                type="email"
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps('email')}
              />
              <RoleSelect current={empty.role} {...form.getInputProps('role')} />
            </div>
            {!isService && (
              <Checkbox
                label={t`Send an invitation`}
                description={
                  form.values.email === ''
                    ? t`The user chooses a password. Without an address you get the link, to hand it over.`
                    : t`The user gets a link to choose a password.`
                }
                checked={invite}
                onChange={(event) => {
                  setInvite(event.currentTarget.checked)
                  if (event.currentTarget.checked) form.setFieldValue('password', '')
                }}
              />
            )}
            {!isService && !invite && (
              <NewPasswordInput
                description={t`At least 15 characters. A user without a password cannot sign in until one is set.`}
                data-path="password"
                value={form.values.password}
                onValue={(value) => form.setFieldValue('password', value)}
                error={form.errors.password}
              />
            )}
            {fieldsFor(definitions.filter(({ required }) => required))}
            <details className={styles.more} open={optional.some((name) => name in form.errors) || undefined}>
              <summary>
                <Trans>More</Trans>
              </summary>
              <TextInput
                label={t`External ID`}
                description={t`The product’s own ID for the user, if there is one.`}
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps('external_id')}
              />
              {fieldsFor(definitions.filter(({ required }) => !required))}
            </details>
            {hasMore && error && <Problem error={error} title={t`The user was not created.`} />}
            <DialogFoot
              aside={
                <ApiCallButton
                  calls={[
                    {
                      operation: 'POST /users',
                      body: withoutPassword(bodyOf(form.values, attributes, { invite, isService })),
                    },
                  ]}
                />
              }
            >
              <Button variant="default" onClick={close}>
                <Trans>Cancel</Trans>
              </Button>
              <Button type="submit" loading={isPending}>
                <Trans>Create user</Trans>
              </Button>
            </DialogFoot>
          </Stack>
        </form>
      )}
    </Dialog>
  )
}

type CreatedProps = { user: CreatedUser; password: string; onAgain: () => void; onClose: () => void }

function Created({ user, password, onAgain, onClose }: CreatedProps) {
  const { t } = useLingui()
  const link = useRef<HTMLAnchorElement>(null)
  const nextTab = user.kind === 'service' ? 'keys' : user.has_password || user.invitation ? undefined : 'password'
  // The focused button is unmounted.
  useEffect(() => link.current?.focus(), [])
  return (
    <Stack gap="lg">
      <Outcome user={user} />
      {password !== '' && (
        <section className={styles.step}>
          <h3>
            <Trans>Password</Trans>
          </h3>
          <CopyLine text={password} label={t`the password`} />
          <p className={styles.note}>
            <Trans>It is shown only here. Give it to the user in a safe way.</Trans>
          </p>
        </section>
      )}
      {user.invitation?.url !== undefined && (
        <section className={styles.step}>
          <h3>
            <Trans>Invitation link</Trans>
          </h3>
          <CopyLine text={user.invitation.url} label={t`the invitation link`} />
          <p className={styles.note}>
            <Trans>
              It is shown only here. Anyone with the link can choose the password. It works once, until{' '}
              <Instant value={user.invitation.expires_at} style="full" />.
            </Trans>
          </p>
        </section>
      )}
      <DialogFoot>
        <Button variant="default" onClick={onAgain}>
          <Trans>Create another</Trans>
        </Button>
        <Button variant="default" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
        <Button
          renderRoot={(props) => (
            <Link
              {...props}
              ref={link}
              to="/users/$userId"
              params={{ userId: user.user_id }}
              search={nextTab === undefined ? {} : { tab: nextTab }}
              onClick={onClose}
            />
          )}
        >
          {nextTab === undefined ? (
            <Trans>Open user</Trans>
          ) : nextTab === 'keys' ? (
            <Trans>Open it and create a key</Trans>
          ) : (
            <Trans>Open user and set a password</Trans>
          )}
        </Button>
      </DialogFoot>
      <details className={styles.more}>
        <summary>
          <Trans>Database account</Trans>
        </summary>
        <DatabaseAccount username={user.username} kind="create" />
      </details>
    </Stack>
  )
}

function Outcome({ user }: { user: CreatedUser }) {
  return (
    <p className={styles.said} role="status">
      {user.kind === 'service' ? (
        <Trans>
          <strong>
            <bdi>{user.username}</bdi>
          </strong>{' '}
          can do nothing until it has a key.
        </Trans>
      ) : user.has_password ? (
        <Trans>
          <strong>
            <bdi>{user.username}</bdi>
          </strong>{' '}
          can sign in now.
        </Trans>
      ) : user.invitation?.sent ? (
        <Trans>
          <strong>
            <bdi>{user.username}</bdi>
          </strong>{' '}
          is invited: a message is on its way to <bdi>{user.email}</bdi>.
        </Trans>
      ) : user.invitation ? (
        <Trans>
          <strong>
            <bdi>{user.username}</bdi>
          </strong>{' '}
          is invited. No message was sent, so hand over the link.
        </Trans>
      ) : (
        <Trans>
          <strong>
            <bdi>{user.username}</bdi>
          </strong>{' '}
          cannot sign in until a password is set.
        </Trans>
      )}
    </p>
  )
}

/** Empty fields are not sent. */
function bodyOf(
  { username, ...others }: typeof empty,
  attributes: ReturnType<typeof valuesOf>,
  { invite, isService }: { invite: boolean; isService: boolean },
): CreateUser {
  return {
    username,
    ...(isService && { kind: 'service' }),
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== '')),
    ...(invite && { invite: 'true' }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
  }
}

function withoutPassword(body: CreateUser): CreateUser {
  return body.password === undefined ? body : { ...body, password: '…' }
}
