import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import type { SignInConnection } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { faultsByField } from './faults.ts'
import {
  hasAddresses,
  type KindName,
  kindTitles,
  type Preset,
  type Provider,
  presetsOf,
  productOf,
} from './providers.ts'
import styles from './sign-in-connections.module.css'
import { useSave } from './use-save.ts'

type Chosen = Provider & { name: string }
type Props = {
  chosen: Chosen
  onChange: (chosen: Chosen) => void
  onCreated: (connection: SignInConnection) => void
  /** For a kind that needs its settings before it can be stored. */
  onContinue: () => void
}

export function ProviderStep({ chosen, onChange, onCreated, onContinue }: Props) {
  const { t } = useLingui()
  const { kind, preset, name } = chosen
  const { submit, isPending, error } = useSave(onCreated)
  const { faults, hasMore } = faultsByField(error, ['name'])
  const body = { kind, preset, name, active: false }
  const isStoredNow = hasAddresses(kind)
  const groups = (Object.keys(presetsOf) as KindName[]).map((one) => ({
    group: kindTitles[one],
    items: presetsOf[one].map((other) => ({
      value: `${one} ${other}`,
      label: `${productOf({ kind: one, preset: other }) ?? t`Another provider`}${one === 'github' ? '' : ` (${kindTitles[one]})`}`,
    })),
  }))
  return (
    <Section title={<Trans>Provider</Trans>}>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (isStoredNow) submit({ creates: body })
          else onContinue()
        }}
      >
        <NativeSelect
          label={t`Provider`}
          description={t`If it has OpenID Connect, prefer it to SAML.`}
          data={groups}
          value={`${kind} ${preset}`}
          onChange={(event) => {
            const [to, of] = event.currentTarget.value.split(' ') as [KindName, Preset]
            onChange({ kind: to, preset: of, name })
          }}
        />
        <TextInput
          label={t`Name`}
          description={t`The button on the sign-in page shows it: the company, or the product.`}
          required
          maxLength={128}
          autoComplete="off"
          value={name}
          error={faults.name}
          onChange={(event) => onChange({ ...chosen, name: event.currentTarget.value })}
        />
        {hasMore && <Problem error={error} title={t`The connection was not created.`} />}
        <Group gap="sm">
          <Button type="submit" loading={isPending}>
            <Trans>Continue</Trans>
          </Button>
          {isStoredNow && <ApiCallButton size="xs" calls={[{ operation: 'POST /connections', body }]} />}
        </Group>
      </form>
    </Section>
  )
}
