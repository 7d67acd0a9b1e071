import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { etagOf, type Group, type UpdateGroup } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { changedByGroups } from '../../data/groups.ts'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { Lockable, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { GroupFields, groupFields } from './group-fields.tsx'
import { changesOf, type GroupValues, isOvertaken, valuesOf } from './group-values.ts'
import styles from './groups.module.css'

/** Another change affected the values in the form. */
class Overtaken extends Error {
  readonly now: Group

  constructor(now: Group) {
    super('The group was changed meanwhile.')
    this.now = now
  }
}

type Props = { group: Group; onClose: () => void }

export default function EditGroupDialog({ group, onClose }: Props) {
  const { t } = useLingui()
  // A version read meanwhile must not replace the one the form was filled with, or saving would undo it silently.
  const [before] = useState(group)
  const { group_id, member_count } = before
  const form = useForm<GroupValues>({ initialValues: valuesOf(before) })
  const lock = useFileLock(before)
  const { submit, ...sending } = useSubmit(
    ({ changes, seen }: { changes: UpdateGroup; seen: Group }) =>
      api.groups.update(
        group_id,
        (now) => {
          if (isOvertaken(seen, now)) throw new Overtaken(now)
          return changes
        },
        lock.how,
      ),
    {
      stale: changedByGroups,
      onSuccess() {
        showToast({ message: t`The group is saved.` })
        onClose()
      },
    },
  )
  const { faults } = fieldFaults(sending.error, groupFields)
  const changes = changesOf(form.values, before)
  const ifMatch = etagOf(group)

  function onSubmit() {
    if (Object.keys(changes).length === 0) onClose()
    else submit({ changes, seen: sending.error instanceof Overtaken ? sending.error.now : before })
  }

  return (
    <FormDialog
      title={t`Edit group`}
      size="lg"
      isDirty={form.isDirty()}
      sending={sending}
      fields={groupFields}
      refusal={t`The group was not changed.`}
      problem={
        sending.error instanceof Overtaken ? (
          <p className={styles.warning} role="alert">
            <Trans>The group was changed while you were editing. Saving again overwrites what you both changed.</Trans>
          </p>
        ) : undefined
      }
      calls={[
        {
          operation: 'PATCH /groups/{group_id}',
          path: { group_id },
          query: lock.how,
          body: changes,
          ...(ifMatch !== undefined && { ifMatch }),
        },
      ]}
      action={<Trans>Save changes</Trans>}
      onSubmit={form.onSubmit(onSubmit)}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      <Lockable isLocked={lock.isLocked}>
        <GroupFields form={form} faults={faults} currentRole={before.role ?? ''} />
        {changes.role !== undefined && member_count > 0 && (
          <p className={styles.note} role="status">
            <Plural
              value={member_count}
              one="The permissions of # member change at once."
              other="The permissions of # members change at once."
            />
          </p>
        )}
      </Lockable>
    </FormDialog>
  )
}
