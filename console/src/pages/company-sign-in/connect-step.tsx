import { Trans, useLingui } from '@lingui/react/macro'
import type { SignInConnection } from 'rollbook/client'
import type { SignInGuide } from '../../parts/provider-guides/guide.ts'
import { GuideLinks, GuideSteps } from '../../parts/provider-guides/guide-steps.tsx'
import { Section } from '../../ui/section.tsx'
import { SettingsStep } from './settings-step.tsx'
import styles from './sign-in-connections.module.css'

type Props = {
  connection: SignInConnection
  guide: SignInGuide
  onBack: () => void
  onSaved: (connection: SignInConnection) => void
}

/** What to do at the provider, and beside it the fields for what the provider then shows. */
export function ConnectStep({ connection, guide, onBack, onSaved }: Props) {
  const { t } = useLingui()
  const { product } = guide
  return (
    <div className={styles.sides}>
      <Section
        title={product === undefined ? <Trans>Copy to the provider</Trans> : <Trans>Copy to {product}</Trans>}
        actions={<GuideLinks guide={guide} />}
      >
        <GuideSteps guide={guide} values={connection} />
      </Section>
      <SettingsStep
        of="provider"
        connection={connection}
        title={product === undefined ? t`Paste from the provider` : t`Paste from ${product}`}
        onBack={onBack}
        onSaved={onSaved}
      />
    </div>
  )
}
