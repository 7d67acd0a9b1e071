import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { SecondFactorPolicyTest } from 'rollbook/client'
import { formatNumber } from '../../ui/number.ts'
import styles from './second-factors.module.css'

/** Shows how a policy affects existing users: a sentence, and the counts. */
export function Meaning({ test }: { test: SecondFactorPolicyTest }) {
  const { t, i18n } = useLingui()
  const { without_factor, asked, asked_administrators, cannot_sign_in, unknown } = test
  const facts: [string, number][] = [
    [t`Active users`, test.users],
    [t`With a second factor`, test.with_factor],
    [t`Required for`, test.required],
    [t`Asked to add a factor`, asked],
    [t`Of these, administrators`, asked_administrators],
    [t`Of these, without password`, cannot_sign_in],
  ]
  const names = unknown.join(', ')
  return (
    <>
      <p className={styles.sentence} role="status">
        <Plural
          value={without_factor}
          _0="Every user has a factor."
          one="# user has no factor."
          other="# users have no factor."
        />{' '}
        <Plural value={asked} _0="Nobody is asked." one="# user is asked." other="# users are asked." />{' '}
        {cannot_sign_in > 0 && (
          <Plural
            value={cannot_sign_in}
            one="# user has no password and cannot sign in: invite the user first."
            other="# users have no password and cannot sign in: invite them first."
          />
        )}
      </p>
      {unknown.length > 0 && (
        <p className={styles.warning}>
          <Trans>
            No role or group has these names: <bdi>{names}</bdi>
          </Trans>
        </p>
      )}
      <dl className={styles.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatNumber(value, i18n.locale)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
