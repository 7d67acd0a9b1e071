import { Trans, useLingui } from '@lingui/react/macro'
import { NativeSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { CreateApiKey, NewApiKey, User } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { changedByKeys } from '../../data/keys.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { Dialog, SavedFoot } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { OrganizationField } from '../organizations/organization-field.tsx'
import { PermissionPicker } from '../permissions/permission-picker.tsx'
import { expiryOf, type Lifetime } from './key-state.ts'
import { SecretOnce } from './secret-once.tsx'

type Values = { name: string; organization: string; permissions: string[]; lifetime: Lifetime; date: string }

const noValues: Values = { name: '', organization: '', permissions: [], lifetime: '365', date: '' }
const fields = ['name', 'permissions', 'expires_at', 'organization_id']

type Props = {
  /** The service account that the key is for. */
  account?: Pick<User, 'user_id' | 'username'>
  /** The organization to begin with. */
  organizationId?: string
  onClose: () => void
}

export default function CreateKeyDialog({ account, organizationId = '', onClose }: Props) {
  const { t } = useLingui()
  const lifetimes = useLifetimes()
  const [openedAt] = useState(Date.now)
  // Keys of the others belong to their organization anyway.
  const isOfAll = useOrganizationsInUse('keys:write')
  const form = useForm({ initialValues: { ...noValues, organization: isOfAll ? organizationId : '' } })
  const { submit, result, ...sending } = useSubmit(
    (body: CreateApiKey, idempotencyKey) =>
      account !== undefined
        ? api.keys.createOf(account.user_id, body, { idempotencyKey })
        : api.keys.create(body, { idempotencyKey }),
    { stale: changedByKeys },
  )
  const { faults } = fieldFaults(sending.error, fields)
  const { name, organization, permissions, lifetime, date } = form.values
  const expires_at = expiryOf(lifetime, date, openedAt)
  const body = {
    name,
    permissions,
    ...(organization !== '' && { organization_id: organization }),
    ...(expires_at !== undefined && { expires_at }),
  }

  function onSubmit() {
    form.clearErrors()
    const isChosen = account !== undefined || permissions.length > 0
    if (!isChosen) form.setFieldError('permissions', t`Choose at least one.`)
    if (expires_at === undefined) form.setFieldError('date', t`Choose the last day.`)
    if (isChosen && expires_at !== undefined) submit(body)
  }

  if (result !== undefined) return <NewSecret apiKey={result} onClose={onClose} />
  return (
    <FormDialog
      title={account !== undefined ? t`Create key for ${account.username}` : t`Create key`}
      size="lg"
      isDirty={form.isDirty()}
      sending={sending}
      fields={fields}
      refusal={t`The key was not created.`}
      calls={[
        account !== undefined
          ? { operation: 'POST /users/{user_id}/keys', path: { user_id: account.user_id }, body }
          : { operation: 'POST /keys', body },
      ]}
      action={<Trans>Create key</Trans>}
      onSubmit={form.onSubmit(onSubmit)}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        description={t`What the key is for: the program or the job that uses it.`}
        data-autofocus
        required
        maxLength={128}
        autoComplete="off"
        {...form.getInputProps('name')}
        error={faults.name}
      />
      {account === undefined && (
        <OrganizationField
          permission="keys:write"
          value={organization}
          onChange={(id) => form.setFieldValue('organization', id)}
          description={t`The key acts for it, and is refused while it is disabled. Empty: none.`}
          error={faults.organization_id}
        />
      )}
      <PermissionPicker
        offersLimited={isOfAll}
        hint={<Hint isForAccount={account !== undefined} />}
        value={permissions}
        onChange={(value) => {
          form.setFieldValue('permissions', value)
          form.clearFieldError('permissions')
        }}
        error={form.errors.permissions ?? faults.permissions}
      />
      <NativeSelect
        label={t`Expires`}
        description={t`The key is refused from then on. Keys that never expire tend to be forgotten.`}
        data={lifetimes}
        {...form.getInputProps('lifetime')}
        error={lifetime === 'date' ? undefined : faults.expires_at}
      />
      {lifetime === 'date' && (
        <TextInput
          type="date"
          label={t`Last day of use`}
          required
          min={new Date(openedAt).toISOString().slice(0, 10)}
          {...form.getInputProps('date')}
          error={form.errors.date ?? faults.expires_at}
        />
      )}
    </FormDialog>
  )
}

type SecretProps = { apiKey: NewApiKey; onClose: () => void }

function NewSecret({ apiKey: { name, key = '' }, onClose }: SecretProps) {
  const { t } = useLingui()
  return (
    <Dialog isOpen loses="secret" onClose={onClose} title={t`The key ${name}`} size="lg">
      <SecretOnce secret={key} label={t`the API key`}>
        <Trans>
          The program sends it as <code>X-API-Key</code> or <code>Authorization: Bearer</code>. If it is lost, rotate
          the key: the new secret has the same permissions.
        </Trans>
      </SecretOnce>
      <SavedFoot onClose={onClose} />
    </Dialog>
  )
}

function Hint({ isForAccount }: { isForAccount: boolean }) {
  return isForAccount ? (
    <Trans>
      Without permissions, the key only identifies the account. It can never do more than the account. You can grant
      only permissions that you have.
    </Trans>
  ) : (
    <Trans>Choose only what the program needs. You can grant only permissions that you have.</Trans>
  )
}

function useLifetimes(): { value: Lifetime; label: string }[] {
  const { t } = useLingui()
  return [
    { value: '30', label: t`In 30 days` },
    { value: '90', label: t`In 90 days` },
    { value: '365', label: t`In a year` },
    { value: 'date', label: t`On a date I choose` },
    { value: 'never', label: t`Never` },
  ]
}
