import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { CreateSignInConnection, SignInConnection } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import type { Provider } from '../../parts/connections/providers.ts'
import { Lockable, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { signInGuideOf } from '../../parts/provider-guides/sign-in-guides.ts'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { faultsByField } from './faults.ts'
import { fieldsFor, usePeopleFields } from './fields.ts'
import { useProviderFields } from './provider-fields.ts'
import { SettingsFields } from './settings-fields.tsx'
import styles from './sign-in-connections.module.css'
import { usePasteAdvice, useTrial } from './use-advice.ts'
import { useSave } from './use-save.ts'
import { changesOf, valuesOf } from './values.ts'

type Props = {
  of: 'provider' | 'people'
  title: string
  /** One that is not stored yet is created here. */
  connection: SignInConnection | (Provider & { name: string; organization_id?: string })
  onBack: (() => void) | undefined
  onSaved: (connection: SignInConnection) => void
}

/** A step of the wizard: the provider's values, or who may sign in. */
export function SettingsStep({ of, title, connection, onBack, onSaved }: Props) {
  const { t } = useLingui()
  const guide = signInGuideOf(connection)
  const provider = useProviderFields(connection)
  const people = usePeopleFields(connection)
  const fields = fieldsFor(guide, of === 'provider' ? provider : people)
  const [before] = useState(() => valuesOf(fields, connection))
  const [values, setValues] = useState(before)
  const { submit, isPending, error } = useSave(onSaved)
  const { faults, hasMore } = faultsByField(
    error,
    fields.map(({ name }) => name),
  )
  const changes = changesOf(fields, values, before)
  const stored = 'connection_id' in connection ? connection : undefined
  const pasted = usePasteAdvice(connection, values)
  const lock = useFileLock(stored ?? {})
  const trial = useTrial(of === 'provider' ? stored : undefined, changes, lock.howToTry)
  const created: CreateSignInConnection = {
    kind: connection.kind,
    preset: connection.preset,
    name: connection.name,
    active: false,
    ...(connection.organization_id !== undefined && { organization_id: connection.organization_id }),
    ...(changes as Partial<CreateSignInConnection>),
  }
  return (
    <Section title={title}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (stored === undefined) submit({ creates: created })
          else if (Object.keys(changes).length === 0) onSaved(stored)
          else submit({ connection: stored, changes, how: lock.how })
        }}
      >
        {lock.notice}
        <Lockable isLocked={lock.isLocked}>
          <SettingsFields
            fields={fields}
            values={values}
            onChange={setValues}
            faults={faults}
            adviceOn={(name) => pasted(name) ?? trial.adviceOn(name)}
          />
        </Lockable>
        <p className={styles.quiet} role="status">
          {trial.found}
        </p>
        {hasMore && <Problem error={error} title={t`The connection was not saved.`} />}
        <Group gap="sm">
          <Button type="submit" loading={isPending}>
            <Trans>Continue</Trans>
          </Button>
          {onBack !== undefined && (
            <Button variant="default" onClick={onBack}>
              <Trans>Back</Trans>
            </Button>
          )}
          <ApiCallButton
            size="xs"
            calls={[
              stored === undefined
                ? { operation: 'POST /connections', body: created }
                : {
                    operation: 'PATCH /connections/{connection_id}',
                    path: { connection_id: stored.connection_id },
                    query: lock.how,
                    body: changes,
                  },
            ]}
          />
        </Group>
      </form>
    </Section>
  )
}
