import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SignInConnection } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { ProviderName } from '../../parts/connections/provider-name.tsx'
import {
  hasAddresses,
  type KindName,
  kindTitles,
  nameFor,
  type Preset,
  type Provider,
  presetsOf,
  productOf,
} from '../../parts/connections/providers.ts'
import { Lockable, useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { signInGuideOf } from '../../parts/provider-guides/sign-in-guides.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { faultsByField } from './faults.ts'
import styles from './sign-in-connections.module.css'
import { useSave } from './use-save.ts'

type Chosen = Provider & { name: string; organization_id?: string }
type Props = {
  /** Stored before: the name may change, the provider not. */
  connection: SignInConnection | undefined
  chosen: Chosen
  onChange: (chosen: Chosen) => void
  onSaved: (connection: SignInConnection) => void
  /** For a kind that needs its settings before it can be stored. */
  onContinue: () => void
}

export function ProviderStep({ connection, chosen, onChange, onSaved, onContinue }: Props) {
  const { t } = useLingui()
  const { kind, preset } = chosen
  const [renamed, setRenamed] = useState(connection?.name)
  const name = renamed ?? chosen.name
  const lock = useFileLock(connection ?? {})
  const { submit, isPending, error } = useSave(onSaved)
  const { faults, hasMore } = faultsByField(error, ['name'])
  const { organization_id } = chosen
  const body = {
    kind,
    preset,
    name,
    active: false,
    ...(organization_id !== undefined && { organization_id }),
    ...signInGuideOf(chosen)?.creates,
  }
  const isStoredNow = hasAddresses(kind)
  return (
    <Section title={<Trans>Provider</Trans>}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (connection !== undefined) {
            if (name === connection.name) onSaved(connection)
            else submit({ connection, changes: { name }, how: lock.how })
          } else if (isStoredNow) submit({ creates: body })
          else onContinue()
        }}
      >
        {connection === undefined ? (
          <ProviderSelect chosen={chosen} onChange={onChange} />
        ) : (
          <Facts>
            <Fact name={t`Provider`}>
              <ProviderName {...connection} />
            </Fact>
          </Facts>
        )}
        {lock.notice}
        <Lockable isLocked={lock.isLocked}>
          <TextInput
            label={t`Name`}
            description={t`Shown on the sign-in button, e.g. “Acme Ltd.”`}
            required
            maxLength={128}
            autoComplete="off"
            value={name}
            error={faults.name}
            onChange={({ currentTarget: { value } }) =>
              connection === undefined ? onChange({ ...chosen, name: value }) : setRenamed(value)
            }
          />
        </Lockable>
        {hasMore && (
          <Problem
            error={error}
            title={connection === undefined ? t`The connection was not created.` : t`The connection was not saved.`}
          />
        )}
        <Group gap="sm">
          <Button type="submit" loading={isPending}>
            <Trans>Continue</Trans>
          </Button>
          {connection === undefined && isStoredNow && (
            <ApiCallButton size="xs" calls={[{ operation: 'POST /connections', body }]} />
          )}
        </Group>
      </form>
    </Section>
  )
}

function ProviderSelect({ chosen, onChange }: Pick<Props, 'chosen' | 'onChange'>) {
  const { t } = useLingui()
  const groups = (Object.keys(presetsOf) as KindName[]).map((one) => ({
    group: kindTitles[one],
    items: presetsOf[one].map((other) => ({
      value: `${one} ${other}`,
      label: `${productOf({ kind: one, preset: other }) ?? t`Another provider`}${one === 'github' ? '' : ` (${kindTitles[one]})`}`,
    })),
  }))
  return (
    <NativeSelect
      label={t`Provider`}
      description={t`Prefer OpenID Connect to SAML where available.`}
      data={groups}
      value={`${chosen.kind} ${chosen.preset}`}
      onChange={(event) => {
        const [kind, preset] = event.currentTarget.value.split(' ') as [KindName, Preset]
        // A name that was not typed follows the choice.
        const name = chosen.name === nameFor(chosen) ? nameFor({ kind, preset }) : chosen.name
        onChange({ ...chosen, kind, preset, name })
      }}
    />
  )
}
