import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { SignInConnection } from 'rollbook/client'
import { useCan } from '../../api/me.ts'
import { exceptionsQuery } from '../../data/sign-in-connections.ts'
import { Section } from '../../ui/section.tsx'
import { PasswordRule } from './password-rule.tsx'
import styles from './sign-in-connections.module.css'

const PasswordsDialog = lazy(() => import('./passwords-dialog.tsx'))

/** Whether users may still sign in with a password, and which users may in any case. */
export function Passwords({ connection }: { connection: SignInConnection }) {
  const { t } = useLingui()
  const mayWrite = useCan('connections:write', connection)
  const maySeeUsers = useCan('users:read')
  const [isOpen, setIsOpen] = useState(false)
  const { passwords, password_exceptions } = connection
  const exceptions = useQuery({ ...exceptionsQuery(password_exceptions), enabled: maySeeUsers })
  return (
    <Section
      title={t`Passwords`}
      description={<PasswordRule connection={connection} />}
      actions={
        mayWrite &&
        maySeeUsers && (
          <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
            <Trans>Change</Trans>
          </Button>
        )
      }
    >
      {passwords !== 'allowed' && (
        <p className={styles.plain}>
          {password_exceptions.length === 0 ? (
            <Trans>No user is an exception.</Trans>
          ) : (
            <>
              <Plural
                value={password_exceptions.length}
                one="# user may use a password nevertheless:"
                other="# users may use a password nevertheless:"
              />{' '}
              {exceptions.data?.map(({ user_id, username }, n) => (
                <span key={user_id}>
                  {n > 0 && ', '}
                  <Link to="/users/$userId" params={{ userId: user_id }}>
                    <bdi>{username}</bdi>
                  </Link>
                </span>
              ))}
            </>
          )}
        </p>
      )}
      <Suspense fallback={null}>
        {isOpen && exceptions.data !== undefined && (
          <PasswordsDialog connection={connection} exceptions={exceptions.data} onClose={() => setIsOpen(false)} />
        )}
      </Suspense>
    </Section>
  )
}
