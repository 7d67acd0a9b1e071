/** Sets a connection up: the provider, what to copy there and paste from there, who may sign in, a test. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { SignInConnection } from 'rollbook/client'
import { useOrganizationsInUse } from '../../data/organizations.ts'
import { failuresQuery, signInConnectionQuery } from '../../data/sign-in-connections.ts'
import { Page } from '../../layout/page.tsx'
import { nameFor, type Provider, providerNamed } from '../../parts/connections/providers.ts'
import type { SignInGuide } from '../../parts/provider-guides/guide.ts'
import { signInGuideOf } from '../../parts/provider-guides/sign-in-guides.ts'
import { Problem } from '../../ui/problem.tsx'
import { Steps } from '../../ui/steps.tsx'
import { ConnectStep } from './connect-step.tsx'
import { BackToConnections } from './connection-page.tsx'
import { ProviderStep } from './provider-step.tsx'
import { SettingsStep } from './settings-step.tsx'
import { isDone, type Step, steps } from './setup-steps.ts'
import styles from './sign-in-connections.module.css'
import { TestStep } from './test-step.tsx'

const route = getRouteApi('/shell/sign-in-connections/new')

export default function SetupPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const { connection: connectionId, provider, name, organization } = route.useSearch()
  // Connections of the others belong to their organization anyway.
  const organization_id = useOrganizationsInUse('connections:write') ? organization : undefined
  const { data, error, refetch } = useQuery({
    ...signInConnectionQuery(connectionId ?? ''),
    enabled: connectionId !== undefined,
  })
  const { data: failures } = useQuery({ ...failuresQuery(connectionId ?? ''), enabled: connectionId !== undefined })
  const [chosen, setChosen] = useState<Provider & { name: string }>(() => {
    const first = providerNamed(provider)
    return { ...first, name: name ?? nameFor(first) }
  })
  const [wanted, setStep] = useState<Step | undefined>()
  const step = wanted ?? (connectionId === undefined ? 'provider' : 'connect')
  const guide = signInGuideOf(data ?? chosen)
  const labels = useStepLabels(guide)
  const done = steps.map((one) => isDone(one, data, failures))
  /** The URL contains the connection, so a reload continues with it. */
  const onCreated = (next: Step) => (connection: SignInConnection) => {
    setStep(next)
    void navigate({ to: '/sign-in-connections/new', search: { connection: connection.connection_id }, replace: true })
  }
  const isWaiting = connectionId !== undefined && data === undefined && !error
  const isNew = data === undefined && connectionId === undefined
  return (
    <Page
      title={data === undefined ? t`Connect identity provider` : t`Set up ${data.name}`}
      back={<BackToConnections />}
    >
      <Steps
        labels={steps.map((one) => labels[one])}
        current={steps.indexOf(step)}
        done={done}
        onOpen={data === undefined ? undefined : (place) => setStep(steps[place])}
      />
      {error && <Problem error={error} retry={() => void refetch()} title={t`Could not load the connection.`} />}
      {isWaiting && <Skeleton height={260} />}
      {(isNew || data !== undefined) && step === 'provider' && (
        <ProviderStep
          connection={data}
          chosen={{ ...chosen, ...(organization_id !== undefined && { organization_id }) }}
          onChange={setChosen}
          onSaved={data === undefined ? onCreated('connect') : () => setStep('connect')}
          onContinue={() => setStep('connect')}
        />
      )}
      {isNew && step === 'connect' && (
        <SettingsStep
          key="create"
          of="provider"
          connection={{ ...chosen, ...(organization_id !== undefined && { organization_id }) }}
          title={labels.connect}
          onBack={() => setStep('provider')}
          onSaved={onCreated('people')}
        />
      )}
      {data !== undefined &&
        step === 'connect' &&
        (guide === undefined ? (
          <SettingsStep
            of="provider"
            connection={data}
            title={labels.connect}
            onBack={() => setStep('provider')}
            onSaved={() => setStep('people')}
          />
        ) : (
          <ConnectStep
            connection={data}
            guide={guide}
            onBack={() => setStep('provider')}
            onSaved={() => setStep('people')}
          />
        ))}
      {data !== undefined && step === 'people' && (
        <SettingsStep
          key="people"
          of="people"
          connection={data}
          title={labels.people}
          onBack={() => setStep('connect')}
          onSaved={() => setStep('test')}
        />
      )}
      {data !== undefined && step === 'test' && <TestStep connection={data} onBack={() => setStep('people')} />}
      {data !== undefined && !data.active && (
        <p className={styles.quiet}>
          <Trans>The connection is saved but inactive: users can sign in through it once you activate it.</Trans>
        </p>
      )}
    </Page>
  )
}

function useStepLabels(guide: SignInGuide | undefined): Record<Step, string> {
  const { t } = useLingui()
  const product = guide?.product
  return {
    provider: t`Provider`,
    connect:
      guide === undefined ? t`Directory` : product === undefined ? t`Set up at the provider` : t`Set up in ${product}`,
    people: t`Who may sign in`,
    test: t`Test`,
  }
}
