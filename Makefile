include emulator/sdk/sdk.mk
