import { Trans, useLingui } from '@lingui/react/macro'
import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import type { SignInConnection } from 'rollbook/client'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { Lockable, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { signInGuideOf } from '../../parts/provider-guides/sign-in-guides.ts'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { faultsByField } from './faults.ts'
import { type Field, fieldsFor, usePeopleFields } from './fields.ts'
import { useProviderFields } from './provider-fields.ts'
import { SettingsFields } from './settings-fields.tsx'
import styles from './sign-in-connections.module.css'
import { usePasteAdvice } from './use-advice.ts'
import { useSave } from './use-save.ts'
import { changesOf, valuesOf } from './values.ts'

export default function EditConnectionDialog(props: { connection: SignInConnection; onClose: () => void }) {
  const { t } = useLingui()
  // A version read meanwhile must not replace what the form was filled with.
  const [connection] = useState(props.connection)
  const { connection_id, identity_count } = connection
  const guide = signInGuideOf(connection)
  const product = guide?.product
  const provider = fieldsFor(guide, useProviderFields(connection))
  const people = fieldsFor(guide, usePeopleFields(connection))
  const button: Field[] = [
    {
      type: 'text',
      name: 'name',
      label: t`Name`,
      required: true,
      description: t`Shown on the sign-in button, e.g. “Acme Ltd.”`,
    },
    {
      type: 'number',
      name: 'position',
      label: t`Position`,
      description: t`The order of the buttons on the sign-in page, smallest first.`,
    },
  ]
  const fields = [...button, ...provider, ...people]
  const [before] = useState(() => valuesOf(fields, connection))
  const [values, setValues] = useState(before)
  const adviceOn = usePasteAdvice(connection, values)
  const [keepsIdentities, setKeepsIdentities] = useState(false)
  const lock = useFileLock(connection)
  const { submit, ...sending } = useSave(() => {
    showToast({ message: t`The connection is saved.` })
    props.onClose()
  })
  const changed = changesOf(fields, values, before)
  const isChanged = Object.keys(changed).length > 0
  const changes = { ...changed, ...(keepsIdentities && { keep_identities: true }) }
  const { faults, hasMore } = faultsByField(
    sending.error,
    fields.map(({ name }) => name),
  )
  const part = (list: readonly Field[]) => (
    <SettingsFields fields={list} values={values} onChange={setValues} faults={faults} adviceOn={adviceOn} />
  )
  return (
    <FormDialog
      title={t`Edit connection`}
      size="lg"
      isDirty={isChanged}
      sending={sending}
      refusal={t`The connection was not changed.`}
      problem={hasMore && <Problem error={sending.error} title={t`The connection was not changed.`} />}
      calls={[
        { operation: 'PATCH /connections/{connection_id}', path: { connection_id }, query: lock.how, body: changes },
      ]}
      action={<Trans>Save changes</Trans>}
      onSubmit={() => (isChanged ? submit({ connection, changes, how: lock.how }) : props.onClose())}
      isDisabled={lock.isLocked}
      onClose={props.onClose}
    >
      {lock.notice}
      <Lockable isLocked={lock.isLocked}>
        {part(button)}
        <h3 className={styles.part}>
          {product === undefined ? <Trans>Paste from the provider</Trans> : <Trans>Paste from {product}</Trans>}
        </h3>
        {part(provider)}
        <h3 className={styles.part}>
          <Trans>Who may sign in</Trans>
        </h3>
        {part(people)}
        {identity_count > 0 && (
          <Checkbox
            label={t`The people are the same: keep the linked accounts`}
            description={t`Another provider, client or certificate otherwise removes them, and ends the sessions.`}
            checked={keepsIdentities}
            onChange={(event) => setKeepsIdentities(event.currentTarget.checked)}
          />
        )}
      </Lockable>
    </FormDialog>
  )
}
