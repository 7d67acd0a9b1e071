/** A self-signed certificate for localhost and its key, which protects nothing. Valid until 2126. */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghYyHTrAt0RW21aRC
WCzO2y+hmjtU3GKpZ/WJhaq7qyChRANCAASftT4NPXirBdMinARqzM2nxjS/6umh
dRwwbWn51lbpThV5VadqhFfw8rlltlkx1EQwx6iKiaiv4gvFwdIoi09w
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUfpQqELe3dyorXlODgrYqPOUVoDwwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDE3MDYyNVoYDzIxMjYxMDI3
MTcwNjI1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASftT4NPXirBdMinARqzM2nxjS/6umhdRwwbWn51lbpThV5VadqhFfw
8rlltlkx1EQwx6iKiaiv4gvFwdIoi09wo28wbTAdBgNVHQ4EFgQU0kJ3/ySE6UVh
gCh7Ks9hHusanS0wHwYDVR0jBBgwFoAU0kJ3/ySE6UVhgCh7Ks9hHusanS0wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgFCeWsZwgdbXrBuDVBrobQg8Mz6M+qVLTESlEiCG3SawCIDgD
iRv3IjKVd9wbyT/rlK1kz0tYhnudaf+mzmzHyx51
-----END CERTIFICATE-----
`,
}
