import { environmentKind, environmentName } from '../lib/page-names.ts'

/** The name of the environment, so that staging is not mistaken for production. */
export function EnvironmentTag() {
  if (environmentName === '') return null
  return (
    <bdi className="environment-tag" data-kind={environmentKind(environmentName)} title={environmentName}>
      {environmentName}
    </bdi>
  )
}
