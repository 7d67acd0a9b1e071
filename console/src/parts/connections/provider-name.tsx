import { Trans } from '@lingui/react/macro'
import type { SignInConnection } from 'rollbook/client'
import { kindTitles, productOf } from './providers.ts'

export function ProviderName({ kind, preset }: Pick<SignInConnection, 'kind' | 'preset'>) {
  const product = productOf({ kind, preset })
  if (kind === 'github') return kindTitles.github
  return product === undefined ? (
    kindTitles[kind]
  ) : (
    <Trans>
      {product} with {kindTitles[kind]}
    </Trans>
  )
}
