// Exits with 0 if the service in this container responds. HEALTHCHECK uses `live`, because an unreachable database is
// no reason to restart the container; services that wait for this one use `ready`.
const { ROLLBOOK_PORT: port = 8080, ROLLBOOK_BASE_PATH: prefix = '/auth' } = process.env
const {
  argv: [, , state = 'live'],
} = process

fetch(`http://127.0.0.1:${port}${prefix.replace(/\/+$/, '')}/health/${state}`).then(
  ({ status }) => {
    process.exitCode = status === 200 ? 0 : 1
  },
  ({ cause, message }) => {
    console.error(cause?.message ?? message)
    process.exitCode = 1
  },
)
