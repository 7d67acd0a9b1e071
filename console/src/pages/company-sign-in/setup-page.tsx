/** Sets a connection up: the provider, what to copy there, what comes back, who may sign in, a test. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { SignInConnection } from 'rollbook/client'
import { signInConnectionQuery } from '../../data/sign-in-connections.ts'
import { Page } from '../../layout/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Steps } from '../../ui/steps.tsx'
import { AddressStep } from './address-step.tsx'
import { BackToConnections } from './connection-page.tsx'
import { ProviderStep } from './provider-step.tsx'
import { hasAddresses, type KindName, type Provider } from './providers.ts'
import { SettingsStep } from './settings-step.tsx'
import styles from './sign-in-connections.module.css'
import { TestStep } from './test-step.tsx'

type Step = 'provider' | 'addresses' | 'settings' | 'people' | 'test'

/** A directory needs none of our URLs. */
const stepsOf = (kind: KindName): readonly Step[] =>
  hasAddresses(kind)
    ? ['provider', 'addresses', 'settings', 'people', 'test']
    : ['provider', 'settings', 'people', 'test']

const route = getRouteApi('/shell/sign-in-connections/new')

export default function SetupPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { connection: connectionId } = route.useSearch()
  const { data, error, refetch } = useQuery({
    ...signInConnectionQuery(connectionId ?? ''),
    enabled: connectionId !== undefined,
  })
  const [chosen, setChosen] = useState<Provider & { name: string }>({ kind: 'oidc', preset: 'entra', name: '' })
  const kind = data?.kind ?? chosen.kind
  const steps = stepsOf(kind)
  const [wanted, setStep] = useState<Step | undefined>()
  const step = wanted ?? (connectionId === undefined ? 'provider' : (steps[1] ?? 'settings'))
  const labels: Record<Step, string> = {
    provider: t`Provider`,
    addresses: t`For the provider`,
    settings: t`From the provider`,
    people: t`Who may sign in`,
    test: t`Test`,
  }
  const after = (one: Step) => () => setStep(steps[steps.indexOf(one) + 1])
  const before = (one: Step) => () => setStep(steps[steps.indexOf(one) - 1])
  /** The URL contains the connection, so a reload continues with it. */
  const onCreated = (from: Step) => (connection: SignInConnection) => {
    setStep(stepsOf(connection.kind)[stepsOf(connection.kind).indexOf(from) + 1])
    void navigate({ to: '/sign-in-connections/new', search: { connection: connection.connection_id }, replace: true })
  }
  const isWaiting = connectionId !== undefined && data === undefined && !error
  return (
    <Page title={data === undefined ? t`Add connection` : t`Set up ${data.name}`} back={<BackToConnections />}>
      <Steps labels={steps.map((one) => labels[one])} current={steps.indexOf(step)} />
      {error && <Problem error={error} retry={() => void refetch()} title={t`The connection could not be read.`} />}
      {isWaiting && <Skeleton height={260} />}
      {data === undefined && connectionId === undefined && step === 'provider' && (
        <ProviderStep
          chosen={chosen}
          onChange={setChosen}
          onCreated={onCreated('provider')}
          onContinue={() => setStep('settings')}
        />
      )}
      {data === undefined && connectionId === undefined && step === 'settings' && (
        <SettingsStep
          key="create"
          of="provider"
          connection={chosen}
          title={labels.settings}
          onBack={() => setStep('provider')}
          onSaved={onCreated('settings')}
        />
      )}
      {data !== undefined && step === 'addresses' && <AddressStep connection={data} onContinue={after('addresses')} />}
      {data !== undefined && (step === 'settings' || step === 'people') && (
        <SettingsStep
          key={step}
          of={step === 'settings' ? 'provider' : 'people'}
          connection={data}
          title={labels[step]}
          onBack={step === 'settings' && !hasAddresses(kind) ? undefined : before(step)}
          onSaved={after(step)}
        />
      )}
      {data !== undefined && step === 'test' && <TestStep connection={data} onBack={before('test')} />}
      {data !== undefined && !data.active && (
        <p className={styles.quiet}>
          <Trans>The connection is saved but inactive: users can sign in through it once you activate it.</Trans>
        </p>
      )}
    </Page>
  )
}
