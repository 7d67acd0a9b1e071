import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { etagOf, type Group, type UpdateGroup } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { changedByGroups } from '../../data/groups.ts'
import { FormFoot } from '../../layout/form-foot.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { fieldFaults } from '../../ui/field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
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
  const queries = useQueryClient()
  // A version read meanwhile must not replace the one the form was filled with, or saving would undo it silently.
  const [before] = useState(group)
  const { group_id, member_count } = before
  const form = useForm<GroupValues>({ initialValues: valuesOf(before) })
  const { submit, isPending, error } = useSubmit(
    ({ changes, seen }: { changes: UpdateGroup; seen: Group }) =>
      api.groups.update(group_id, (now) => {
        if (isOvertaken(seen, now)) throw new Overtaken(now)
        return changes
      }),
    {
      onSuccess() {
        for (const queryKey of changedByGroups) void queries.invalidateQueries({ queryKey })
        showToast({ message: t`The group is saved.` })
        onClose()
      },
    },
  )
  const { faults, hasMore } = fieldFaults(error, groupFields)
  const changes = changesOf(form.values, before)
  const ifMatch = etagOf(group)

  function onSubmit() {
    if (Object.keys(changes).length === 0) onClose()
    else submit({ changes, seen: error instanceof Overtaken ? error.now : before })
  }

  return (
    <Dialog isOpen loses={form.isDirty() ? 'input' : undefined} onClose={onClose} title={t`Edit group`} size="lg">
      <form onSubmit={form.onSubmit(onSubmit)} style={{ display: 'contents' }}>
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
        {error instanceof Overtaken ? (
          <p className={styles.warning} role="alert">
            <Trans>The group was changed while you were editing. Saving again overwrites what you both changed.</Trans>
          </p>
        ) : (
          hasMore && <Problem error={error} title={t`The group was not changed.`} />
        )}
        <FormFoot
          calls={[
            {
              operation: 'PATCH /groups/{group_id}',
              path: { group_id },
              body: changes,
              ...(ifMatch !== undefined && { ifMatch }),
            },
          ]}
          isPending={isPending}
          onCancel={onClose}
        >
          <Trans>Save changes</Trans>
        </FormFoot>
      </form>
    </Dialog>
  )
}
