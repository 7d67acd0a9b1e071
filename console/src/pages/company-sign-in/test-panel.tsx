import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SignInConnection } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import type { KindName } from '../../parts/connections/providers.ts'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './sign-in-connections.module.css'
import { TrialResult } from './trial-result.tsx'

const examples: Record<Exclude<KindName, 'ldap'>, object> = {
  oidc: { sub: '00u1', email: 'ada@example.com', email_verified: true, given_name: 'Ada', family_name: 'Lovelace' },
  github: { id: 1, login: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' },
  saml: { name_id: '00u1', email: 'ada@example.com', givenName: 'Ada', sn: 'Lovelace' },
}

type Asked = { claims: Record<string, unknown> } | { username?: string }

/** Tries claims, or a user of a directory, without changing anything. */
export function TestPanel({ connection }: { connection: SignInConnection }) {
  const { connection_id, kind } = connection
  const { t } = useLingui()
  const mayReadUsers = useCan('users:read')
  const mayAsk = useCan('connections:write', connection)
  const isDirectory = kind === 'ldap'
  const [claims, setClaims] = useState(() => (isDirectory ? '' : JSON.stringify(examples[kind], undefined, 2)))
  const [username, setUsername] = useState('')
  const read = objectIn(claims)
  const { submit, isPending, error, result } = useSubmit((input: Asked) =>
    'claims' in input
      ? api.connections.test(connection_id, input.claims)
      : api.connections.lookUp(connection_id, input.username),
  )
  const testInput: Asked | undefined = isDirectory ? (username === '' ? {} : { username }) : read && { claims: read }
  if (!mayReadUsers || (isDirectory && !mayAsk)) return null
  return (
    <Section
      title={isDirectory ? <Trans>Look up a user</Trans> : <Trans>Test claims</Trans>}
      description={
        isDirectory ? (
          <Trans>Reads the entry of a user, without a password, and shows what a sign-in would do.</Trans>
        ) : (
          <Trans>Shows what a sign-in with these claims would do. Nothing is changed.</Trans>
        )
      }
      actions={
        <ApiCallButton
          size="xs"
          calls={[
            {
              operation: 'POST /connections/{connection_id}/test',
              path: { connection_id },
              body: testInput ?? { claims: {} },
            },
          ]}
        />
      }
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (testInput !== undefined) submit(testInput)
        }}
      >
        {isDirectory ? (
          <TextInput
            label={t`Username`}
            description={t`Leave it empty to test only whether the directory can be searched.`}
            autoComplete="off"
            dir="ltr"
            value={username}
            onChange={(event) => setUsername(event.currentTarget.value)}
          />
        ) : (
          <Textarea
            label={t`Claims`}
            description={t`The claims that the provider would send about a user, as JSON.`}
            rows={8}
            dir="ltr"
            spellCheck={false}
            value={claims}
            error={read === undefined && t`This is not a JSON object.`}
            onChange={(event) => setClaims(event.currentTarget.value)}
          />
        )}
        <div>
          <Button type="submit" variant="default" loading={isPending} disabled={testInput === undefined}>
            {isDirectory ? <Trans>Ask the directory</Trans> : <Trans>Test claims</Trans>}
          </Button>
        </div>
      </form>
      {error && <Problem error={error} title={t`The test failed.`} />}
      {result !== undefined && !isPending && !error && <TrialResult trial={result} />}
    </Section>
  )
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
