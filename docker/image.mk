# The image is built by Docker where there is one; its test needs none.

.PHONY: docker-test

## docker-test: carry out docker/Dockerfile in chroots, and run what it makes (root)
docker-test:
	sh tests/chroot/docker.sh $(BUILD)
