import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Role } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { can, useMe } from '../../api/me.ts'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { isLimited } from '../../lib/permission-groups.ts'
import { Lockable, type Override, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { PermissionPicker } from '../../parts/permissions/permission-picker.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { Effect } from './role-effect.tsx'
import styles from './roles-page.module.css'

type Values = { role: string; description: string; permissions: string[] }

const fields = ['role', 'description', 'permissions']

type Props = {
  /** The role to change. Missing: a new one. */
  role?: Role
  onClose: () => void
}

export default function RoleDialog({ role, onClose }: Props) {
  const { t } = useLingui()
  // A version read meanwhile must not replace what the form was filled with.
  const [before] = useState(role)
  const form = useForm<Values>({
    initialValues: { role: '', description: '', permissions: [], ...(before && pick(before)) },
  })
  const { role: name, description, permissions } = form.values
  const input = { description: description.trim(), permissions }
  // A deployment without organizations shows nothing of them.
  const hasOrganizations = useOrganizationsInUse()
  const lock = useFileLock(before ?? {})
  const { submit, ...sending } = useSubmit(
    (body: typeof input, idempotencyKey) =>
      before === undefined
        ? api.roles.create({ role: name.trim(), ...body }, { idempotencyKey })
        : api.roles.update(before.role, body, lock.how),
    {
      stale: [['roles'], ['me']],
      onSuccess() {
        showToast({ message: before === undefined ? t`The role was created.` : t`The role is saved.` })
        onClose()
      },
    },
  )
  const { faults } = fieldFaults(sending.error, fields)
  return (
    <FormDialog
      title={before === undefined ? t`Create role` : t`Edit the role ${before.role}`}
      size="lg"
      isDirty={form.isDirty()}
      sending={sending}
      fields={fields}
      refusal={before === undefined ? t`The role was not created.` : t`The role was not changed.`}
      calls={[
        before === undefined
          ? { operation: 'POST /roles', body: { role: name, ...input } }
          : { operation: 'PATCH /roles/{role}', path: { role: before.role }, query: lock.how, body: input },
      ]}
      action={before === undefined ? <Trans>Create role</Trans> : <Trans>Save changes</Trans>}
      onSubmit={form.onSubmit(() => submit(input))}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      <Lockable isLocked={lock.isLocked}>
        {before === undefined && (
          <TextInput
            label={t`Name`}
            description={t`Lower-case letters, digits, _ and -. It cannot be changed later.`}
            data-autofocus
            required
            maxLength={64}
            pattern="[a-z][a-z0-9_\-]*"
            autoComplete="off"
            dir="ltr"
            {...form.getInputProps('role')}
            error={faults.role}
          />
        )}
        <TextInput
          label={t`Description`}
          description={t`What the role is for.`}
          maxLength={256}
          autoComplete="off"
          {...form.getInputProps('description')}
          error={faults.description}
        />
        <PermissionPicker
          hint={<Trans>You can give only permissions that you have yourself.</Trans>}
          full={
            <Trans>
              Full access, including permissions of later releases. Users with this role control every account.
            </Trans>
          }
          offersLimited={hasOrganizations || before?.permissions.some(isLimited) === true}
          value={permissions}
          onChange={(value) => form.setFieldValue('permissions', value)}
          error={faults.permissions}
        />
        <OwnWord
          onAdd={(word) => form.setFieldValue('permissions', [...new Set([...permissions, word])])}
          isOff={permissions.includes('*')}
        />
        {before !== undefined && <Trial role={before} permissions={permissions} how={lock.howToTry} />}
      </Lockable>
    </FormDialog>
  )
}

function pick({ role, description, permissions }: Role): Values {
  return { role, description, permissions }
}

/** A permission that only the product knows. */
function OwnWord({ onAdd, isOff }: { onAdd: (word: string) => void; isOff: boolean }) {
  const { t } = useLingui()
  const me = useMe()
  const [word, setWord] = useState('')
  const isFine = /^[a-z][a-z0-9_-]*:[a-z][a-z0-9_-]*$/.test(word)
  if (!can(me, '*')) return null
  const add = () => {
    onAdd(word)
    setWord('')
  }
  return (
    <Group gap={8} align="flex-end" wrap="nowrap">
      <TextInput
        className={styles.word ?? ''}
        label={t`Permission of your product`}
        description={t`Two words with a colon between, such as reports:send.`}
        autoComplete="off"
        dir="ltr"
        maxLength={129}
        disabled={isOff}
        value={word}
        onChange={({ currentTarget: { value } }) => setWord(value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (isFine) add()
        }}
      />
      <Button variant="default" disabled={!isFine || isOff} onClick={add}>
        <Trans>Add</Trans>
      </Button>
    </Group>
  )
}

/** What saving would give or take, and whether it would be refused. */
function Trial({ role, permissions, how }: { role: Role; permissions: string[]; how: Override }) {
  const isChanged = permissions.toSorted().join(' ') !== role.permissions.toSorted().join(' ')
  const { error } = useQuery({
    queryKey: ['roles', role.role, 'trial', permissions],
    queryFn: ({ signal }) => api.roles.update(role.role, { permissions }, { ...how, dryRun: true, signal }),
    enabled: isChanged,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  return isChanged ? <Effect role={role} permissions={permissions} error={error} /> : null
}
