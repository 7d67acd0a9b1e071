import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Role } from 'rollbook/client'
import { ServiceText } from '../../ui/service-text.tsx'
import styles from './roles-page.module.css'

type Props = {
  /** As it is now. */
  role: Role
  permissions: readonly string[]
  /** Why the change would be refused. */
  error: Error | null
}

/** What a change of a role would give or take, and to how many. */
export function Effect({ role, permissions, error }: Props) {
  const { t } = useLingui()
  const added = permissions.filter((word) => !role.permissions.includes(word))
  const removed = role.permissions.filter((word) => !permissions.includes(word))
  return (
    <section className={styles.effect} aria-label={t`Effect of the change`} aria-live="polite">
      <p>
        <Holders role={role} />
      </p>
      {added.length > 0 && (
        <p>
          <Trans>
            Would get: <Words words={added} />
          </Trans>
        </p>
      )}
      {removed.length > 0 && (
        <p>
          <Trans>
            Would lose: <Words words={removed} />
          </Trans>
        </p>
      )}
      {error !== null && (
        <p className={styles.refused}>
          <ServiceText>{error.message}</ServiceText>
        </p>
      )}
    </section>
  )
}

/** How many users and groups have a role. */
export function Holders({ role: { user_count, group_count } }: { role: Role }) {
  return (
    <>
      <Plural
        value={user_count}
        _0="No user has this role."
        one="# user has this role."
        other="# users have this role."
      />{' '}
      <Plural
        value={group_count}
        _0="No group gives it."
        one="# group gives it to its members."
        other="# groups give it to their members."
      />
    </>
  )
}

function Words({ words }: { words: readonly string[] }) {
  return (
    <code dir="ltr" className={styles.words}>
      {words.join(', ')}
    </code>
  )
}
