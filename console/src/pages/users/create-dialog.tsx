import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { type ChangeEvent, type ReactNode, useState } from 'react'
import type { Attribute, CreateUser, Group } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { confirming } from '../../api/confirm.ts'
import { useCanEverywhere } from '../../api/me.ts'
import { useAttributes } from '../../data/attributes.ts'
import { changedByGroups } from '../../data/groups.ts'
import { mailServerQuery } from '../../data/mails.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { FormFoot } from '../../layout/form-dialog.tsx'
import { AttributeField } from '../../parts/attributes/attribute-field.tsx'
import { fieldOf, type Texts, valuesOf } from '../../parts/attributes/values.ts'
import { EndDateField } from '../../parts/end-date/end-date-field.tsx'
import { OrganizationField } from '../../parts/organizations/organization-field.tsx'
import { NewPasswordInput } from '../../parts/user-actions/new-password-input.tsx'
import { RoleSelect } from '../../parts/user-details/role-select.tsx'
import { useFieldFaults } from '../../parts/user-details/use-field-faults.ts'
import { GroupsField } from '../../parts/user-finder/groups-field.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { detailOf, Problem } from '../../ui/problem.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './create-dialog.module.css'
import { Created, type Creation } from './created.tsx'
import { bodyOf, empty, fields, withoutPassword } from './new-user.ts'
import { useTaken } from './use-taken.ts'

type Props = {
  isOpen: boolean
  /** The organization that the list is filtered by. */
  organizationId?: string | undefined
  onClose: () => void
}
type Values = typeof empty
type Form = UseFormReturnType<Values>

/** Creates a user, then shows the password once and leads to the user. */
export default function CreateDialog({ isOpen, organizationId, onClose }: Props) {
  const { t } = useLingui()
  const form = useForm({ initialValues: useInitial(organizationId) })
  const [texts, setTexts] = useState<Texts>({})
  const [isService, setIsService] = useState(false)
  const [chosenInvite, setChosenInvite] = useState<boolean>()
  const [groups, setGroups] = useState<readonly Group[]>([])
  const mailWorks = useMailWorks()
  const invite = !isService && (chosenInvite ?? mailWorks)
  const definitions = (useAttributes() ?? []).filter(({ editable_by }) => editable_by !== 'nobody')
  const { submit, isPending, error, reset, created, setCreated } = useCreation(clear)
  const hasMore = useFieldFaults(form, error, [...fields, ...definitions.map(({ name }) => fieldOf(name))])
  const isTyped = form.isDirty() || groups.length > 0 || Object.values(texts).some(Boolean)
  const attributes = valuesOf(definitions, Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')))
  const body = bodyOf(form.values, { attributes, invite, isService })

  function clear() {
    form.reset()
    setTexts({})
    setIsService(false)
    setChosenInvite(undefined)
    setGroups([])
  }
  function another() {
    setCreated(undefined)
    reset()
    requestAnimationFrame(() => form.getInputNode('username')?.focus())
  }
  function close() {
    onClose()
    clear()
    setCreated(undefined)
    reset()
  }
  function onSubmit() {
    if (body.username !== '') return submit({ body, groups })
    form.setFieldError('username', isService ? t`Enter a username.` : t`Enter a username or an email.`)
    form.getInputNode('username')?.focus()
  }
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      size="lg"
      title={created === undefined ? t`Create user` : t`User created`}
      loses={created === undefined && isTyped ? 'input' : undefined}
    >
      {created !== undefined ? (
        <Created created={created} onAgain={another} onClose={close} />
      ) : (
        <form noValidate onSubmit={form.onSubmit(onSubmit)}>
          <Stack gap="md">
            <KindChoice
              isService={isService}
              onChange={(isService) => {
                setIsService(isService)
                form.setFieldValue('password', '')
              }}
            />
            <Names form={form} isService={isService} />
            <div className={styles.pair}>
              <RoleSelect current={empty.role} {...form.getInputProps('role')} />
              <GroupsField picked={groups} onChange={setGroups} />
            </div>
            <OrganizationField
              permission="users:write"
              value={form.values.organization_id}
              onChange={(id) => form.setFieldValue('organization_id', id)}
              error={form.errors.organization_id}
            />
            {!isService && <FirstPassword form={form} invite={invite} onInvite={setChosenInvite} />}
            <Attributes definitions={definitions} form={form} texts={texts} onTexts={setTexts}>
              <TextInput
                label={t`External ID`}
                description={t`The product’s own ID for the user, if there is one.`}
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps('external_id')}
              />
              <EndDateField
                day={form.values.expires_at}
                error={form.errors.expires_at}
                onChange={(day) => form.setFieldValue('expires_at', day)}
              />
            </Attributes>
            {hasMore && error && <Problem error={error} title={t`The user was not created.`} />}
            <FormFoot
              calls={[{ operation: 'POST /users', body: withoutPassword(body) }]}
              isPending={isPending}
              onCancel={close}
            >
              <Trans>Create user</Trans>
            </FormFoot>
          </Stack>
        </form>
      )}
    </Dialog>
  )
}

/** Begins with the organization that the list is filtered by. Users of limited administrators belong to theirs anyway. */
function useInitial(organizationId: string | undefined): Values {
  const isOfAll = useOrganizationsInUse('users:write')
  return { ...empty, organization_id: (isOfAll && organizationId !== 'none' && organizationId) || '' }
}

function KindChoice({ isService, onChange }: { isService: boolean; onChange: (isService: boolean) => void }) {
  const { t } = useLingui()
  return (
    <>
      <SegmentedControl
        aria-label={t`Kind`}
        data={[
          { value: 'person', label: t`Person` },
          { value: 'service', label: t`Service account` },
        ]}
        value={isService ? 'service' : 'person'}
        onChange={(kind) => onChange(kind === 'service')}
      />
      {isService && (
        <p className={styles.note}>
          <Trans>A program that acts as a user: it has no password, cannot sign in, and acts with keys.</Trans>
        </p>
      )}
    </>
  )
}

type PasswordProps = { form: Form; invite: boolean; onInvite: (invite: boolean) => void }

/** An invitation to choose a password, or the password itself. */
function FirstPassword({ form, invite, onInvite }: PasswordProps) {
  const { t } = useLingui()
  return (
    <>
      <Checkbox
        label={t`Send an invitation`}
        description={t`We email a link to choose a password. No email? You get the link to pass on.`}
        checked={invite}
        onChange={(event) => onInvite(event.currentTarget.checked)}
      />
      {!invite && (
        <NewPasswordInput
          description={t`At least 15 characters. A user without a password cannot sign in until one is set.`}
          data-path="password"
          value={form.values.password}
          onValue={(value) => form.setFieldValue('password', value)}
          error={form.errors.password}
        />
      )}
    </>
  )
}

/** Creates the user, then adds the user to the groups: a group that refuses leaves the user created. */
function useCreation(onCreated: () => void) {
  const { t } = useLingui()
  const [created, setCreated] = useState<Creation>()
  const unreachable = t`The service cannot be reached.`
  const submission = useSubmit(
    async ({ body, groups }: { body: CreateUser; groups: readonly Group[] }, idempotencyKey): Promise<Creation> => {
      const user = await api.users.create(body, { idempotencyKey })
      const added: string[] = []
      const refused: Creation['refused'][number][] = []
      for (const { group_id, name } of groups) {
        try {
          await confirming(() => api.groups.addMember(group_id, user.user_id))
          added.push(name)
        } catch (error) {
          refused.push({ name, reason: detailOf(error, unreachable) })
        }
      }
      return { user, password: body.password ?? '', added, refused }
    },
    {
      stale: [...changedByGroups, ['statistics']],
      onSuccess(creation) {
        setCreated(creation)
        onCreated()
      },
    },
  )
  return { ...submission, created, setCreated }
}

/** Whether an invitation would be sent. Who may not read the mail server is told by the result. */
function useMailWorks(): boolean {
  const mayRead = useCanEverywhere('mails:read')
  const { data } = useQuery({ ...mailServerQuery, enabled: mayRead, refetchInterval: false })
  return mayRead ? data?.configured === true && data.failing_since === null : true
}

function Names({ form, isService }: { form: Form; isService: boolean }) {
  const { t } = useLingui()
  const { username, email } = form.values
  // Without a username, the email becomes it.
  const name = username.trim() || (isService ? '' : email.trim())
  const nameOwner = useTaken('username', name)
  const emailOwner = useTaken('email', email)
  const nameTaken = nameOwner && t`This username is taken.`
  const emailTaken = emailOwner && t`Another user has this email: ${emailOwner.username}`
  return (
    <>
      <div className={styles.pair}>
        <TextInput
          label={t`Username`}
          description={
            isService
              ? t`The name of the program. No spaces. Not case-sensitive.`
              : t`For signing in. No spaces. Not case-sensitive.`
          }
          placeholder={isService ? undefined : email.trim() || t`The email, if left empty`}
          required={isService}
          data-autofocus
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps('username')}
          error={form.errors.username ?? nameTaken}
        />
        <TextInput
          label={t`Email`}
          description={isService ? undefined : t`For signing in too, and for messages.`}
          type="email"
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('email')}
          error={form.errors.email ?? emailTaken}
        />
      </div>
      <div className={styles.pair}>
        <TextInput label={t`First name`} autoComplete="off" {...form.getInputProps('first_name')} />
        <TextInput label={t`Last name`} autoComplete="off" {...form.getInputProps('last_name')} />
      </div>
    </>
  )
}

type AttributesProps = {
  definitions: readonly Attribute[]
  form: Form
  texts: Texts
  onTexts: (texts: Texts) => void
  /** The first of the optional fields. */
  children: ReactNode
}

/** The required attributes, and behind "More" what is optional. */
function Attributes({ definitions, form, texts, onTexts, children }: AttributesProps) {
  const optional = definitions.filter(({ required }) => !required)
  const hasFault = ['external_id', 'expires_at', ...optional.map(({ name }) => fieldOf(name))].some(
    (name) => name in form.errors,
  )
  const fieldsFor = (some: readonly Attribute[]) =>
    some.map((attribute) => {
      const field = fieldOf(attribute.name)
      const onChange = (event: ChangeEvent<HTMLInputElement>) => {
        onTexts({ ...texts, [field]: event.currentTarget.value })
        form.clearFieldError(field)
      }
      const input = { value: texts[field] ?? '', onChange, error: form.errors[field], 'data-path': field }
      return <AttributeField key={field} attribute={attribute} input={input} />
    })
  return (
    <>
      {fieldsFor(definitions.filter(({ required }) => required))}
      <details className={styles.more} open={hasFault || undefined}>
        <summary>
          <Trans>More</Trans>
        </summary>
        {children}
        {fieldsFor(optional)}
      </details>
    </>
  )
}
